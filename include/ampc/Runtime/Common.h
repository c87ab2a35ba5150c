/* What the headers of all compiled models share; written into each of them under one guard.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef AMPC_COMMON_H
#define AMPC_COMMON_H

#include <stddef.h>
#include <stdint.h>

/* Grows when a struct below changes its meaning, and the number in the last #elif with it; equals
   what NAME_abi_version() returns. Fields that are added behind those of a struct with a `size`
   change nothing. */
#define AMPC_ABI_VERSION 2

/* Status codes. Negative: an error, and what the call would have changed is unchanged unless its
   documentation says otherwise. Positive: a warning. */
typedef enum {
  AMPC_OK = 0,
  AMPC_W_STEP_SKIPPED =
      1, /* gradients were not finite: only the random counter and the loss scale changed */
  AMPC_E_ARG = -1,             /* an argument is missing or out of range */
  AMPC_E_SHAPE = -2,           /* a tensor has another shape */
  AMPC_E_DTYPE = -3,           /* a tensor has another element type */
  AMPC_E_CPU_UNSUPPORTED = -4, /* the CPU, or the permission to use its matrix unit, is missing */
  AMPC_E_MEMORY = -5,          /* memory or a thread could not be had */
  AMPC_E_IO = -6,              /* a file could not be read or written */
  AMPC_E_CKPT_MISMATCH = -7,   /* a checkpoint is damaged or belongs to another model */
  AMPC_E_NONFINITE_LOSS = -8,  /* the loss is infinite or NaN; only the random counter advanced */
  AMPC_E_NONFINITE_GRADIENT = -9, /* gradients are infinite or NaN in a step with nonfinite =
                                     "fail"; only the random counter and the loss scale changed */
  AMPC_E_DEVICE = -10,            /* the GPU or its driver is missing, or failed */
  AMPC_E_STALLED =
      -11 /* as AMPC_W_STEP_SKIPPED, once options.skip_limit steps in a row were skipped */
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

/* What a tensor of the state is for. Gradients and working copies are not saved. */
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

/* A named tensor, row-major in calls and files. */
typedef struct {
  const char *name;
  int32_t dtype; /* ampc_dtype */
  int32_t rank;
  const int64_t *dims;
  int64_t bytes;
  int32_t batched; /* inputs: 1 if the first dimension is the batch; outputs: 1 if it holds rows of
                      the batch */
  int32_t memory_rank; /* of the state: 0 if its memory is row-major, too; else the elements in
                          their order have memory_rank dimensions, neighbours of which may be one of
                          `dims`: behind those of `dims` come their sizes, then their strides in
                          elements */
  int64_t label_limit; /* integer inputs: values lie in [label_least, label_limit) or equal
                          label_ignore; 0: not checked */
  int64_t label_ignore;
  int64_t label_least;
  int32_t label_run_count; /* not 0: elements of a row have limits of their own, label_limit is 0 */
  const int64_t *label_runs; /* per run of elements, from the first of a row on and again up to its
                                last: how many they are, their limit (0: not checked), the number to
                                ignore, and the least */
} ampc_tensor;

/* How threads share the tasks of a kernel. Results have the same bits. */
typedef enum {
  AMPC_SHARES_FIXED,  /* each does an equal number of neighbouring tasks */
  AMPC_SHARES_DYNAMIC /* each begins with these, half of what is left at a time, and then helps
                         others with theirs: for processors that do other work, too */
} ampc_shares;

/* What kernels on the host make of numbers nearer to zero than the least normal one of their type
   (1.2e-38 in f32), which slow some processors down. */
typedef enum {
  AMPC_DENORMALS_KEEP, /* they are numbers like others */
  AMPC_DENORMALS_FLUSH /* as operands and as results of arithmetic they are zeros */
} ampc_denormals;

/* Memory aligned to 64 bytes, or null. */
typedef void *(*ampc_allocate)(void *context, size_t bytes);
typedef void (*ampc_release)(void *context, void *memory);

/* Calls body(argument, i) once for every i in [0, count), in any order, on any threads, at the same
   time or not, and returns when all have returned. */
typedef void (*ampc_parallel_for)(void *context, int32_t count,
                                  void (*body)(void *argument, int32_t index), void *argument);

/* What a training step reports. Fields that a model does not have are 0 (loss_scale: 1). */
typedef struct {
  uint32_t size;     /* in: sizeof of this struct */
  float loss;        /* mean over the rows that count, before the update */
  float grad_norm;   /* global 2-norm of the gradients before clipping, if the step clips by it */
  float loss_scale;  /* the factor used in this step */
  uint8_t found_inf; /* 1: a gradient was infinite or NaN */
  uint8_t skipped;   /* 1: the step changed nothing but the random counter and the loss scale */
  uint16_t reserved;
  float learning_rate; /* of the step's rule with schedule and lr_factor, if the step has a schedule
                        */
  uint64_t step;       /* updates done so far, this one included */
  double loss_double;  /* the loss with all its bits in models of type f64 */
  uint64_t nonfinite;  /* elements of gradients, before clipping, that were infinite or NaN */
  const double *numbers;   /* what the loss function returns beside the loss, at the places that
                              constants of the model's header name; valid until the next call, NaN
                              after a loss that is not finite, null if there are none */
  uint64_t skipped_in_row; /* updates of this step that were skipped, this one included, since one
                              that was done, or since create or load */
} ampc_train_out;

/* A dynamic loss scale has fallen by a factor of a million after as many bad steps in a row: the
   cause is more likely a value beyond f16, which no scale mends. */
enum { AMPC_SKIPS_TO_LOG = 20 };

/* Called on the thread that called the library; null members are not called. */
typedef struct {
  uint32_t size; /* sizeof of this struct */
  uint32_t reserved;
  void *context;
  void (*on_step)(void *context, const ampc_train_out *out);
  void (*on_span)(void *context, const char *name, uint64_t begin_ns,
                  uint64_t end_ns);                   /* one kernel; monotonic clock */
  void (*on_log)(void *context, const char *message); /* also once at AMPC_SKIPS_TO_LOG steps in a
                                                         row that were skipped */
} ampc_hooks;

/* How to create a state. Zero everything, then set `size` and what you want changed. */
typedef struct {
  uint32_t size;      /* sizeof of this struct */
  int32_t threads;    /* 0: as many as the process may use */
  uint64_t seed;      /* of initial values and random ops */
  int32_t want_split; /* 1: keep room for gradients, for the separate grad and apply calls */
  int32_t reserved;
  void *memory; /* null, or memory for the whole state, aligned to 64 bytes, that outlives it */
  size_t memory_bytes;
  ampc_allocate allocate; /* null: the C library's; called once, by create */
  ampc_release release;
  void *allocator_context;
  ampc_parallel_for parallel_for; /* null: a pool of the library's own */
  void *parallel_context;
  ampc_hooks hooks;
  char *error; /* null, or room for the message of a create that fails, which leaves no state to ask
                */
  size_t error_bytes;
  const char *device; /* null: the first one that the model was compiled for and that is there;
                         "cpu", "cuda" or "cuda:1" */
  void *stream;       /* CUDA: null for a stream of the state's own, or a CUstream to work on */
  const char *initial_data; /* the file that `ampc compile --initial-data=beside` has put beside a
                               library; else null */
  int32_t shares;           /* ampc_shares */
  int32_t pin_threads;      /* 1: each thread of the library's pool keeps to one processor, thread i
                               (the caller's is 0, and left alone) to the i-th, from 0, of those that
                               the caller may use; 0: the system moves them */
  int32_t denormals;        /* ampc_denormals */
  uint64_t skip_limit;      /* a training call that is skipped as the skip_limit-th in a row, or
                               later, returns AMPC_E_STALLED; 0: AMPC_W_STEP_SKIPPED for ever */
} ampc_options;

/* Flags of load. */
enum {
  AMPC_LOAD_ALL = 0,    /* everything, to go on exactly where the checkpoint was written */
  AMPC_LOAD_WEIGHTS = 1 /* parameters and buffers only; names, types and shapes must agree, more in
                           the file is ignored */
};

#elif AMPC_ABI_VERSION != 2
#error "expected headers of compiled models with one AMPC_ABI_VERSION: compile the models again"
#endif
