/* Declarations shared by the headers of all compiled models; each header contains a copy under one
   include guard.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef AMPC_COMMON_H
#define AMPC_COMMON_H

#include <stddef.h>
#include <stdint.h>

/* Version of the structs below. It grows when a struct changes its meaning, together with the
   number in the last #elif, and equals the result of NAME_abi_version(). Fields appended to a
   struct with a `size` do not change the version. */
#define AMPC_ABI_VERSION 2

/* Status codes. Negative: an error; the call has left its objects unchanged unless its
   documentation says otherwise. Positive: a warning. */
typedef enum {
  AMPC_OK = 0,
  AMPC_W_STEP_SKIPPED =
      1, /* gradients were not finite: only the random counter and the loss scale changed */
  AMPC_E_ARG = -1,             /* an argument is missing or out of range */
  AMPC_E_SHAPE = -2,           /* a tensor has another shape */
  AMPC_E_DTYPE = -3,           /* a tensor has another element type */
  AMPC_E_CPU_UNSUPPORTED = -4, /* the CPU, or the permission to use its matrix unit, is missing */
  AMPC_E_MEMORY = -5,          /* out of memory, or no thread could be started */
  AMPC_E_IO = -6,              /* a file could not be read or written */
  AMPC_E_CKPT_MISMATCH = -7,   /* a checkpoint is damaged or belongs to another model */
  AMPC_E_NONFINITE_LOSS = -8,  /* the loss is infinite or NaN; only the random counter advanced */
  AMPC_E_NONFINITE_GRADIENT = -9, /* gradients are infinite or NaN in a step with nonfinite =
                                     "fail"; only the random counter and the loss scale changed */
  AMPC_E_DEVICE = -10,            /* the GPU or its driver is missing, or failed */
  AMPC_E_STALLED =
      -11, /* as AMPC_W_STEP_SKIPPED, once options.skip_limit steps in a row were skipped */
  AMPC_E_PEER = -12 /* another rank makes another call (nothing was changed), or an exchange failed
                       or exceeded options.comm_seconds (state may be changed in part) */
} ampc_status;

typedef enum {
  AMPC_F32,
  AMPC_F64,
  AMPC_F16,
  AMPC_BF16,
  AMPC_I1 /* one byte each */,
  AMPC_I8,
  AMPC_I16,
  AMPC_I32,
  AMPC_I64,
  AMPC_U8
} ampc_dtype;

/* Role of a state tensor. Checkpoints do not hold gradients and working copies. */
typedef enum {
  AMPC_ROLE_PARAM,
  AMPC_ROLE_BUFFER,
  AMPC_ROLE_MOMENT,
  AMPC_ROLE_STEP,
  AMPC_ROLE_GRADIENT,
  AMPC_ROLE_EMA,
  AMPC_ROLE_RANDOM,
  AMPC_ROLE_SCALE,
  AMPC_ROLE_WORKING
} ampc_role;

/* A named tensor, row-major in calls and files. Example: "fc1.w", f32 [784, 128]. */
typedef struct {
  const char *name;
  int32_t dtype; /* ampc_dtype */
  int32_t rank;
  const int64_t *dims;
  int64_t bytes;
  int32_t batched; /* inputs: 1 if the first dimension is the batch; outputs: 1 if it holds rows of
                      the batch */
  int32_t memory_rank; /* state: 0 if the memory is row-major, too; else the rank of the memory
                          layout: the elements in row-major order have memory_rank dimensions, whose
                          neighbours may be merged in `dims`. `dims` is then followed by memory_rank
                          sizes, and as many strides in elements */
  int64_t label_limit; /* integer inputs: values lie in [label_least, label_limit) or equal
                          label_ignore; 0: not checked */
  int64_t label_ignore;
  int64_t label_least;
  int32_t label_run_count; /* not 0: label limits differ between the elements of a row; label_limit
                              is 0 */
  const int64_t *label_runs; /* per run of elements, in row order and again until the row ends:
                                length, limit (0: not checked), ignored number, least number */
} ampc_tensor;

/* Distribution of a kernel's tasks over threads. Results have the same bits either way. */
typedef enum {
  AMPC_SHARES_FIXED,  /* static: every thread runs an equal number of neighbouring tasks */
  AMPC_SHARES_DYNAMIC /* work stealing: every thread starts with its static share, claims half of
                         the remaining tasks at a time, then steals tasks of other threads; for
                         processors that run other work, too */
} ampc_shares;

/* Treatment of denormal numbers by host kernels: magnitudes below the smallest normal number of
   their type (1.2e-38 in f32), which slow some processors down. */
typedef enum {
  AMPC_DENORMALS_KEEP, /* denormals are computed exactly */
  AMPC_DENORMALS_FLUSH /* denormal operands and results of arithmetic become 0 */
} ampc_denormals;

/* Allocator callbacks. Returns memory aligned to 64 bytes, or null. */
typedef void *(*ampc_allocate)(void *context, size_t bytes);
typedef void (*ampc_release)(void *context, void *memory);

/* Parallel loop callback. Calls body(argument, i) once for every i in [0, count), in any order, on
   any threads, concurrently or not, and returns after all calls have returned. */
typedef void (*ampc_parallel_for)(void *context, int32_t count,
                                  void (*body)(void *argument, int32_t index), void *argument);

/* Report of a training step. Fields that a model lacks are 0 (loss_scale: 1). */
typedef struct {
  uint32_t size;     /* in: sizeof of this struct */
  float loss;        /* mean over the valid rows, before the update */
  float grad_norm;   /* global 2-norm of the gradients before clipping, if the step clips by norm */
  float loss_scale;  /* loss scale of this step */
  uint8_t found_inf; /* 1: a gradient element was infinite or NaN */
  uint8_t skipped;   /* 1: the step changed nothing but the random counter and the loss scale */
  uint16_t reserved;
  float learning_rate; /* learning rate after schedule and lr_factor, if the step has a schedule */
  uint64_t step;       /* updates so far, including this step */
  double loss_double;  /* loss in full precision for models of type f64 */
  uint64_t nonfinite;  /* number of gradient elements, before clipping, that were infinite or NaN */
  const double
      *numbers; /* further results of the loss function, indexed by constants of the model's header;
                   valid until the next call, NaN after a non-finite loss, null if there are none */
  uint64_t skipped_in_row; /* number of consecutive skipped updates of this step, including this
                              one, since the last update, create or load */
} ampc_train_out;

/* Number of consecutive skipped steps that is logged. The dynamic loss scale has then fallen by a
   factor of a million; the cause is more likely a value beyond the range of f16, which no scale
   repairs. */
enum { AMPC_SKIPS_TO_LOG = 20 };

/* Callbacks, run on the calling thread; null members are skipped. */
typedef struct {
  uint32_t size; /* sizeof of this struct */
  uint32_t reserved;
  void *context;
  void (*on_step)(void *context, const ampc_train_out *out);
  void (*on_span)(void *context, const char *name, uint64_t begin_ns,
                  uint64_t end_ns); /* time span of one kernel; monotonic clock */
  void (*on_log)(void *context,
                 const char *message); /* log message; also sent once after AMPC_SKIPS_TO_LOG
                                          consecutive skipped steps */
} ampc_hooks;

/* ---- Ranks: processes that train a model together (ampc compile --ranks) ---- */
enum {
  AMPC_ALL_GATHER, /* every rank sends its piece to all ranks */
  AMPC_ALL_TO_ALL  /* piece i of `send` goes to rank i */
};
/* One tensor of an exchange. `receive` gets the pieces of all ranks, the piece of rank 0 first. */
typedef struct {
  const void *send; /* one piece; AMPC_ALL_TO_ALL: one piece per rank */
  void *receive;
  size_t bytes; /* of one piece */
} ampc_segment;
typedef struct {
  int32_t kind, segment_count;
  const ampc_segment *segments;
} ampc_transfer;

/* An engine, which moves bytes between ranks; all sums are computed by the library. All ranks start
   the same transfers in the same order, and wait for them in the same order. Functions run on the
   thread of the call; results below 0 are errors. `context` has to outlive the state. */
typedef struct {
  uint32_t size;       /* sizeof of this struct */
  int32_t rank, ranks; /* number of this rank, from 0 on, and of all ranks */
  uint32_t flags;      /* 0 */
  void *context;
  /* Called once, by create; the list and its addresses do not change. `stream`: null. */
  int (*prepare)(void *context, const ampc_transfer *list, int32_t count, void *stream);
  int (*start)(void *context, int32_t transfer); /* 0: memory of the transfer is the engine's */
  int (*poll)(void *context, int32_t transfer);  /* 1: complete, 0: not yet; never blocks */
  void (*abandon)(void *context);                /* after an error: nothing more will be started */
  const char *(*error)(void *context);           /* null, or the reason of the last error */
} ampc_comm;

/* Options of create. Zero the struct, set `size`, then set the options to change. */
typedef struct {
  uint32_t size;      /* sizeof of this struct */
  int32_t threads;    /* 0: as many as the process may use */
  uint64_t seed;      /* seed of initial values and random ops */
  int32_t want_split; /* 1: allocate gradients, for separate grad and apply calls */
  int32_t reserved;
  void *memory; /* null, or caller-owned memory for the whole state, aligned to 64 bytes, that
                   outlives the state */
  size_t memory_bytes;
  ampc_allocate allocate; /* null: the C library's allocator; called once, by create */
  ampc_release release;
  void *allocator_context;
  ampc_parallel_for parallel_for; /* null: the library's own thread pool */
  void *parallel_context;
  ampc_hooks hooks;
  char *error; /* null, or a buffer for the error message of a failed create, which leaves no state
                  to query */
  size_t error_bytes;
  const char *device; /* null: the first device that the model was compiled for and that is present;
                         or "cpu", "cuda" or "cuda:1" */
  void *stream;       /* CUDA: a CUstream to work on; null: the state creates a stream */
  const char *initial_data; /* path of the file that `ampc compile --initial-data=beside` wrote next
                               to the library; else null */
  int32_t shares;           /* ampc_shares */
  int32_t pin_threads;      /* 1: threads of the library's pool are pinned: thread i to the i-th
                               processor, counted from 0, of the caller's affinity mask; thread 0 is the
                               caller and not pinned. 0: no pinning */
  int32_t denormals;        /* ampc_denormals */
  uint64_t skip_limit;   /* a training call that is the skip_limit-th consecutive skipped call, or
                            later, returns AMPC_E_STALLED; 0: AMPC_W_STEP_SKIPPED without limit */
  const ampc_comm *comm; /* engine, for a model compiled with --ranks; else null. Create and
                            training calls are then calls of all ranks */
  int32_t comm_seconds;  /* limit of each exchange; 0: 600 seconds, -1: none */
} ampc_options;

/* Flags of a call, in->flags. */
enum {
  AMPC_RUN_CHECK_FINITE = 1, /* reals of inputs in the host's memory are checked before anything
                                runs; AMPC_E_ARG at the first infinite or NaN element */
  AMPC_RUN_NO_ROWS =
      2 /* training calls of several ranks, in->valid 0: a batch too short for this
           rank, which adds nothing to sums; the first row of each input is padding */
};

/* Flags of load. */
enum {
  AMPC_LOAD_ALL = 0,     /* complete state, for an exact resume of the training */
  AMPC_LOAD_WEIGHTS = 1, /* parameters and buffers only; names, types and shapes must match, other
                            tensors of the file are ignored. Knobs may be missing, and targets of
                            train.follow, which take the values of their source */
  AMPC_LOAD_AVERAGES = 2 /* the same, but parameters take the averages of a step's ema_decay:
                            w takes the file's fit.ema.w */
};

#elif AMPC_ABI_VERSION != 2
#error "expected headers of compiled models with one AMPC_ABI_VERSION: compile the models again"
#endif
