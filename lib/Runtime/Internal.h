// Types and functions shared by all files of the runtime: text, threads, state, data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No mutable globals, no libm, no stdio: the runtime becomes part of the user's program, once per
// model.
#ifndef AMPC_LIB_RUNTIME_INTERNAL_H
#define AMPC_LIB_RUNTIME_INTERNAL_H

#include "ampc/Runtime/Runtime.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef __cplusplus
#error "the runtime is C; tests declare the functions that they call"
#endif

enum { AMPC_ALIGN = 64, AMPC_ERROR_BYTES = 512, AMPC_MAX_THREADS = 256 };

/* ---- Numbers ---- */
/* The floating-point environment (rounding mode, exception masks, flushing of denormals) belongs to
   the caller's thread. Kernels run in the library's environment, the same on all threads: else bits
   would depend on the host and on the thread of each share. */
enum { AMPC_MXCSR_KEEP = 0x1f80, AMPC_MXCSR_FLUSH = AMPC_MXCSR_KEEP | 0x8040 };
/* Sets MXCSR and returns the value before, for the caller to restore. */
static inline uint32_t ampc_rt_swap_mxcsr(uint32_t control) {
  uint32_t before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(control);
  return before;
}

/* ---- Text ---- */
/* Text buffer of `capacity` bytes; longer text is cut off. `length` counts all bytes written,
   including the bytes cut off, as the result of snprintf does. */
typedef struct {
  char *data;
  size_t capacity;
  size_t length;
} ampc_rt_text;
void ampc_rt_put(ampc_rt_text *text, const char *string);
void ampc_rt_put_char(ampc_rt_text *text, char c);
void ampc_rt_put_shape(ampc_rt_text *text, const int64_t *dims, int32_t rank);
/* Conversions: %s, %d (int64_t), %u (uint64_t), %x (uint64_t, 16 digits). */
void ampc_rt_print(ampc_rt_text *text, const char *format, ...);
/* As ampc_rt_print, for messages: control characters of %s are spelled, ESC as \x1B. */
void ampc_rt_tell(ampc_rt_text *text, const char *format, ...);
/* Writes the message, as ampc_rt_tell does, into `error` (AMPC_ERROR_BYTES, may be null) and
 * returns `status`. */
ampc_status ampc_rt_fail(char *error, ampc_status status, const char *format, ...);
/* Text of an errno value, e.g. ENOENT -> "no such file or directory". */
const char *ampc_rt_errno_text(int number);

/* ---- Tiers ---- */
const char *ampc_rt_tier_name(int32_t tier);

/* ---- Threads ---- */
typedef void (*ampc_rt_body)(void *argument, int32_t share);
typedef struct ampc_rt_pool ampc_rt_pool;
typedef struct {
  ampc_rt_pool *pool;
  pthread_t thread;
  int32_t share;
} ampc_rt_worker;
/* Tasks [next, end) of one share of a launch that no thread has claimed. Threads claim by advancing
   `next` (guided self-scheduling, work stealing). */
typedef struct {
  _Alignas(AMPC_ALIGN) _Atomic int64_t next;
  int64_t end;
} ampc_rt_share;
struct ampc_rt_pool {
  int32_t workers;      /* threads beside the caller */
  bool lost;            /* child of fork, without the workers: the caller does all shares */
  _Atomic uint64_t job; /* number of the present job */
  _Atomic int32_t left; /* workers that have not finished the present job */
  _Atomic int32_t sleepers;
  _Atomic int32_t caller_sleeps;
  _Atomic int32_t quit;
  ampc_rt_body body;
  void *argument;
  pthread_mutex_t mutex;
  pthread_cond_t start, done;
  ampc_rt_worker *threads;
};
int32_t ampc_rt_cpu_count(void);
/* Starts the workers. `pin`: the worker of share i keeps to the i-th processor of the process. */
ampc_status ampc_rt_pool_start(ampc_rt_pool *pool, int32_t workers, ampc_rt_worker *threads,
                               bool pin, char *error);
void ampc_rt_pool_stop(ampc_rt_pool *pool);
/* body(argument, share) for every share in [0, workers]; share 0 on the calling thread. */
void ampc_rt_pool_run(ampc_rt_pool *pool, ampc_rt_body body, void *argument);
uint64_t ampc_rt_now_ns(void);

/* ---- State ---- */
/* Layout of a state: offsets in bytes from the state's start. */
typedef struct {
  size_t slots, arena, scratch, room, operands, outputs, threads, shares, header, ranges, runs,
      ready, skips, exchange, device, total;
  size_t slot_bytes, scratch_stride, header_bytes, exchange_bytes;
  int32_t thread_count;
  int32_t range_count;
} ampc_rt_layout;

/* Bytes [begin, end) of a tensor in a checkpoint's data; `slot` is -1 for a tensor that the model
   does not have. */
typedef struct {
  int64_t begin, end;
  int32_t slot;
} ampc_rt_range;

struct ampc_state {
  const ampc_model *model;
  ampc_rt_layout layout;
  int32_t tier;
  bool split;
  bool dynamic; /* threads steal tasks; false: shares are fixed */
  bool flushes; /* kernels flush denormals to zero */
  uint64_t skip_limit;
  bool own_memory;
  bool is_prefaulted; /* pages of state and work memory are prefaulted, or need no prefault */
  ampc_release release;
  void *allocator_context;
  ampc_parallel_for parallel_for;
  void *parallel_context;
  ampc_hooks hooks;
  ampc_rt_pool pool;
  /* Begins and ends of calls that change the contents of checkpoints: odd during such a call. */
  _Atomic uint64_t changes;
  int64_t process; /* id of the process that created the state: a fork has another */
  char error[AMPC_ERROR_BYTES];
};
static inline unsigned char *ampc_rt_at(const ampc_state *state, size_t place) {
  return (unsigned char *)(uintptr_t)state +
         place; /* the state owns all its memory; const is a promise to the caller */
}
/* Called at the begin and at the end of a change to the contents of checkpoints. */
static inline void ampc_rt_note_change(ampc_state *state) { atomic_fetch_add(&state->changes, 1); }
static inline unsigned char *ampc_rt_slot_data(const ampc_state *state, const ampc_slot *slot) {
  return ampc_rt_at(state, state->layout.slots) + slot->offset;
}
/* Number of runs per program: [programs] of the state, then [programs] of the checkpoint that is
   being read, which a failed load drops. */
static inline uint64_t *ampc_rt_runs_data(const ampc_state *state) {
  return (uint64_t *)(uintptr_t)ampc_rt_at(state, state->layout.runs);
}
/* Per program: a GRAD program has left gradients that no APPLY program has used. */
static inline bool *ampc_rt_ready_data(const ampc_state *state) {
  return (bool *)ampc_rt_at(state, state->layout.ready);
}
/* Consecutive skipped updates per TRAIN and APPLY program; `skip_limit` bounds the count. */
static inline uint64_t *ampc_rt_skips_data(const ampc_state *state) {
  return (uint64_t *)(uintptr_t)ampc_rt_at(state, state->layout.skips);
}
/* Code of a kernel for the state's tier. */
static inline const ampc_code *ampc_rt_code(const ampc_state *state, int32_t kernel) {
  return &state->model->kernels[kernel].code[state->tier - state->model->first_tier];
}
/* True for programs that report loss and norm; other programs return tensors. */
static inline bool ampc_rt_is_training(const ampc_program *program) {
  return program->kind <= AMPC_PROGRAM_APPLY;
}
/* True for programs that read a batch and count their runs. */
static inline bool ampc_rt_takes_data(const ampc_program *program) {
  return program->kind == AMPC_PROGRAM_TRAIN || program->kind == AMPC_PROGRAM_GRAD;
}
/* True for slots of checkpoints. Gradients and working copies are derived state. */
static inline bool ampc_rt_is_saved(const ampc_slot *slot) {
  return slot->role != AMPC_ROLE_GRADIENT && slot->role != AMPC_ROLE_WORKING;
}
static inline size_t ampc_rt_align(size_t bytes) {
  return (bytes + AMPC_ALIGN - 1) / AMPC_ALIGN * AMPC_ALIGN;
}

/* Maxima over the model, for the layout: operand addresses of a run, outputs of a program, scratch
   bytes of a kernel in any tier. */
int32_t ampc_rt_operand_room(const ampc_model *model);
int32_t ampc_rt_max_outputs(const ampc_model *model);
size_t ampc_rt_max_scratch(const ampc_model *model);
/* Layout of a state for one target. `options`: all members, as of this version. */
ampc_rt_layout ampc_rt_layout_of(const ampc_model *model, const ampc_options *options);
/* Bytes for the padded tensors of a short batch: the maximum over the programs, training programs
   only if `training` is set. */
size_t ampc_rt_short_batch_bytes(const ampc_model *model, bool training);
/* Runs body(argument, share) for all shares on the state's threads. */
void ampc_rt_parallel(const ampc_state *state, ampc_rt_body body, void *argument);
/* Prefaults a thread's share of a block by rewriting one byte of every page with its own value: the
   page becomes present, on the memory node of this thread. */
void ampc_rt_touch(unsigned char *block, size_t bytes, int32_t share, int32_t shares);
/* Prefaults, before the first training program, all pages not yet used. Without prefault a kernel
   takes two faults per page: a read maps the zero page, the first write replaces that page. */
void ampc_rt_prefault(ampc_state *state);
/* Checks the process before a call runs in a state. A child of fork has the state's memory, but no
   worker threads (the caller then runs all shares) and no GPU context (an error). */
ampc_status ampc_rt_enter_process(ampc_state *state, char *error);
/* Runs the program that rebuilds working copies, if there is one. */
ampc_status ampc_rt_derive(ampc_state *state);

/* ---- Initial values ---- */
void ampc_rt_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
double ampc_rt_log(double x);       /* natural logarithm, x positive and normal */
double ampc_rt_cos_turns(double x); /* cos(2 pi x), 0 <= x < 1 */
uint16_t ampc_rt_to_bf16(float x);
uint16_t ampc_rt_to_f16(float x);
uint64_t ampc_rt_hash_text(const char *text);
/* True for a slot with an initial value in a tensor file, whose path the caller gives to create. */
static inline bool ampc_rt_lacks_value(const ampc_slot *slot) {
  return slot->init == AMPC_INIT_DATA && !slot->data;
}
/* Reads the initial values of such slots from the tensor file `path`. */
ampc_status ampc_rt_load_values(ampc_state *state, const char *path);
/* Fills all slots; the values depend on seed, name and element number only. */
void ampc_rt_initialise(ampc_state *state, uint64_t seed);
/* Copies the values of `slot->source`, which the slot has. */
void ampc_rt_copy_source(const ampc_state *state, const ampc_slot *slot);

/* ---- Order ---- */
static inline const int64_t *ampc_rt_memory_dims(const ampc_tensor *tensor) {
  return tensor->dims + tensor->rank;
}
static inline const int64_t *ampc_rt_memory_strides(const ampc_tensor *tensor) {
  return ampc_rt_memory_dims(tensor) + tensor->memory_rank;
}
/* Memory index of an element of the logical layout, e.g. logical [2, 3] kept as [3, 2]: 1 -> 2. */
int64_t ampc_rt_memory_index(const ampc_tensor *tensor, int64_t element);
/* Number, at most `most`, of logical neighbours from an element on that lie `stride` elements apart
   in memory. */
int64_t ampc_rt_memory_run(const ampc_tensor *tensor, int64_t element, int64_t most,
                           int64_t *stride);
/* Conversion between memory order and logical layout: bytes [begin, begin + bytes) to rows, a whole
   tensor from rows. `begin` is a multiple of 8 or of the element's bytes. */
void ampc_rt_to_logical(const ampc_tensor *tensor, const unsigned char *memory, int64_t begin,
                        int64_t bytes, unsigned char *rows);
void ampc_rt_from_logical(const ampc_tensor *tensor, unsigned char *memory,
                          const unsigned char *rows);

/* ---- Data ---- */
int64_t ampc_rt_element_count(const ampc_tensor *tensor);
double ampc_rt_read_float(const void *data, int32_t dtype);
int64_t ampc_rt_read_int(const void *data, int32_t dtype, int64_t index);
/* Updates and runs are counted in [0, 2^62). Negative counts leave no weight, since corrections of
   moments divide by 1 - beta^updates; the bound leaves room for all further steps.
   2^62 steps of a nanosecond take 146 years. */
static inline bool ampc_rt_is_count(uint64_t value) { return !(value >> 62); }
/* False if the slot is a counter of updates and the new value in `data` (of any alignment) is
   outside [0, 2^62). */
bool ampc_rt_is_valid_count(const ampc_slot *slot, const void *data);
#define AMPC_EXPECTED_COUNT "expected a number of updates in [0, 2^62)"
/* Checks the new value in `data` (of any alignment) of a slot with a range: AMPC_E_ARG of a set, or
   AMPC_E_CKPT_MISMATCH of the checkpoint `path`. */
ampc_status ampc_rt_check_knob(const ampc_slot *slot, const void *data, const char *path,
                               char *error);
/* Hash of the values of all knobs in the memory of the host; 0 on a device. */
uint64_t ampc_rt_hash_knobs(const ampc_state *state);
/* Elements of an input with equal limits: `width` elements from `first` on, repeated every
   `period`, with values in [least, limit) or equal to `ignore`. Example: class labels in column 2
   of [8, 4]: first 2, width 1, period 4. */
typedef struct {
  int64_t first, width, period, least, limit, ignore;
  int32_t run; /* index of the next label run of the input */
} ampc_labels;
/* Advances `labels`, which starts as zeros, to the next run with limits; false at the end. A truth
   value has the limits [0, 2). */
bool ampc_rt_next_labels(const ampc_tensor *input, ampc_labels *labels);
static inline bool ampc_rt_has_labels(const ampc_tensor *input) {
  return input->label_limit || input->label_run_count || input->dtype == AMPC_I1;
}
/* Checks the limits of all values in the first `valid` rows; AMPC_E_ARG at the first violation. */
ampc_status ampc_rt_check_labels(const ampc_program *program, const ampc_tensor *input,
                                 const void *data, int64_t valid, char *error);
/* Checks that reals of the first `valid` rows are finite; AMPC_E_ARG at the first that is not. */
ampc_status ampc_rt_check_finite(const ampc_program *program, const ampc_tensor *input,
                                 const void *data, int64_t valid, char *error);
/* Returns AMPC_E_ARG with a message that names the element, its value and the limits. */
ampc_status ampc_rt_refuse_label(const ampc_program *program, const ampc_tensor *input,
                                 int64_t element, int64_t value, char *error);
const char *ampc_rt_dtype_name(int32_t dtype); /* name in safetensors, e.g. "BF16" */

#endif
