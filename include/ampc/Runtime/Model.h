// Tables of a compiled model: constant data that the compiler emits into an object and the runtime
// interprets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to a compiled model; users see NAME.h. All structs are plain C so that the compiler can
// emit them as constant data. Every pointer in them is resolved at link time.
#ifndef AMPC_RUNTIME_MODEL_H
#define AMPC_RUNTIME_MODEL_H

#include "ampc/Runtime/Common.h"

static inline int32_t ampc_rt_dtype_bytes(int32_t dtype) {
  switch (dtype) {
  case AMPC_F64:
  case AMPC_I64:
    return 8;
  case AMPC_F32:
  case AMPC_I32:
    return 4;
  case AMPC_F16:
  case AMPC_BF16:
  case AMPC_I16:
    return 2;
  default:
    return 1;
  }
}

/* Tiers. One object holds code of all tiers; create selects a tier by CPU features or AMPC_ISA.
   Tiers of a target are consecutive. */
enum {
  AMPC_TIER_PLAIN,
  AMPC_TIER_AVX2,
  AMPC_TIER_AVX512,
  AMPC_TIER_AVX512BF16,
  AMPC_TIER_AMX,
  AMPC_TIER_AMXFP16,
  AMPC_TIER_REFERENCE, /* of the target `reference`; runs on any processor */
  AMPC_TIER_SM_75,     /* NVIDIA GPUs: compute capability of the code */
  AMPC_TIER_SM_80,
  AMPC_TIER_SM_86,
  AMPC_TIER_SM_89,
  AMPC_TIER_SM_90A,
  AMPC_TIER_SM_100,
  AMPC_TIER_SM_120,
  AMPC_TIERS
};

/* Runs the tasks [begin, end) of a launch. `operands`: addresses of the kernel's operands, then
   results, then the workspace if the entry has one. `scratch`: memory of the calling thread,
   aligned to 64 bytes, with unspecified contents. */
typedef void (*ampc_kernel_fn)(void *const *operands, int64_t begin, int64_t end, void *scratch);

/* Code of a kernel in one tier. */
typedef struct {
  ampc_kernel_fn run;    /* null: no code for this tier */
  ampc_kernel_fn finish; /* null, or a second phase whose tasks run after all tasks of `run` */
  int64_t tasks, finish_tasks;
  int64_t scratch_bytes; /* per thread */
} ampc_code;

enum { AMPC_MAPS = 8, AMPC_MAP_RANK = 5, AMPC_MAP_BYTES = 128 };

/* TMA tensor map: a tensor inside an operand, result or workspace, from which a device copies
   boxes. Dimension 0 is contiguous. Example: sizes [64, 128], strides [128]. */
typedef struct {
  int64_t offset; /* bytes */
  uint64_t sizes[AMPC_MAP_RANK];
  uint64_t strides[AMPC_MAP_RANK - 1]; /* bytes, from dimension 1 on */
  uint32_t box[AMPC_MAP_RANK];
  int32_t operand, dtype, rank;
  int32_t swizzle; /* swizzle span in bytes, within which 16-byte chunks are permuted; or 0 */
  int32_t unused;
} ampc_tensor_map;

/* One launch of device code. Parameters: the addresses of operands, results and workspace (all, or
   the selection in `parameters`); the address of an int32_t or null, where a nonzero int32_t makes
   the launch write nothing; then the tensor maps of AMPC_MAP_BYTES each. */
typedef struct {
  const char *function;
  uint32_t grid[3], block[3], cluster[3];
  uint32_t shared_bytes;
  int32_t parameter_count, map_count;
  const int32_t *parameters; /* null: all */
  const ampc_tensor_map *maps;
} ampc_launch;

typedef struct {
  const char *name;
  const ampc_code *code; /* one per tier of the model's target, lowest first; null for devices */
  int32_t launch_count;  /* number of device launches, in order */
  const ampc_launch *launches;
} ampc_kernel;

enum { AMPC_IMAGE_PTX, AMPC_IMAGE_CUBIN };

/* Code image of a device. */
typedef struct {
  int32_t kind;
  int32_t capability; /* required compute capability, times ten: 90 for sm_90 */
  const void *data;   /* PTX ends with a zero byte */
  uint64_t bytes;
} ampc_image;

enum {
  AMPC_SPACE_STATE,
  AMPC_SPACE_ARENA,
  AMPC_SPACE_INPUT,
  AMPC_SPACE_OUTPUT,
  AMPC_SPACE_CONSTANT,
  AMPC_SPACE_CONTROL
};

/* Number of operands in the slot of role RANDOM; 0 in other slots. */
enum { AMPC_STATE_RANDOM = 1 };

/* Layout of the control space; written by the runtime before a program runs. */
typedef struct {
  int32_t valid;      /* number of valid rows of the batch */
  float lr_factor;    /* factor on the learning rate, set by the caller; default 1 */
  uint64_t random[2]; /* seed and counter of evaluations and exports, in place of the slot of role
                         RANDOM */
} ampc_control;

typedef struct {
  int32_t space;
  int32_t number; /* of the input, output or constant; state: 0 or AMPC_STATE_RANDOM */
  int64_t offset; /* bytes */
  int64_t stride; /* calls: bytes between consecutive runs of the program */
} ampc_operand;

enum {
  AMPC_ENTRY_KERNEL,
  AMPC_ENTRY_CALL,
  AMPC_ENTRY_START, /* starts exchange `number` of the model: operands [sent, received] */
  AMPC_ENTRY_WAIT,  /* waits for exchange `number`; starts and waits have one order on all ranks */
  AMPC_ENTRY_RANK   /* writes the number of this rank, an int32_t */
};

/* One entry of a program: a kernel, with the kernel's operands; a start of an exchange between
   `times` ranks, an all-to-all if `carried` is 1, else an all-gather, of pieces of `stride` bytes
   of the operands; or a call of another program, with
   operands [inputs, outputs, second buffers of the first `carried` outputs, arena]. The called
   program runs `times` times. The first `carried` outputs of a run are the first inputs of the next
   run (double buffering): runs alternate between the output's buffer and its second buffer, and the
   last run writes the output's buffer. */
typedef struct {
  int32_t kind;
  int32_t number;        /* number of a kernel or program of the model */
  int32_t first_operand; /* first index in the program's operands */
  int32_t operand_count;
  int32_t times, carried; /* of a call only */
  int32_t writes_state;   /* 1: writes state that a refused step must leave unchanged */
  const char *name;       /* name of the source op, for profiles and messages */
} ampc_entry;

enum {
  AMPC_INIT_CONSTANT,
  AMPC_INIT_UNIFORM,
  AMPC_INIT_NORMAL,
  AMPC_INIT_TRUNCATED_NORMAL,
  AMPC_INIT_DATA
};

/* State slot: parameter, buffer, moment, ... All slots share one block of memory. Working copies
   have the last numbers, because each target has its own. Gradients behind all other slots take
   memory only in states created with want_split. A slot of role RANDOM is tensor<2xi64> {seed,
   counter}: programs read the slot, and the runtime advances the counter after each TRAIN or GRAD
   run. */
typedef struct {
  ampc_tensor tensor;
  int32_t role;
  int32_t init;
  double a, b;         /* constant; bounds; or mean and standard deviation */
  int64_t offset;      /* bytes in the state block, a multiple of 64 */
  const void *data;    /* AMPC_INIT_DATA: all elements; null: read from options.initial_data */
  const double *range; /* knob: least and greatest value, numbers of the type; else null */
  int32_t source; /* 1 + number of the slot of the same type whose first value this slot takes, also
                     from files without this slot; 0: none */
} ampc_slot;

enum {
  AMPC_PROGRAM_TRAIN,
  AMPC_PROGRAM_GRAD,
  AMPC_PROGRAM_APPLY,
  AMPC_PROGRAM_EVAL,
  AMPC_PROGRAM_EXPORT,
  AMPC_PROGRAM_DERIVE, /* rebuilds working copies after create and load */
  AMPC_PROGRAM_PART    /* outlined loop body, called by other programs; last in the table */
};

/* Treatment of non-finite gradients: update anyway; skip the update with a warning; fail with an
   error. */
enum { AMPC_NONFINITE_ALLOW, AMPC_NONFINITE_SKIP, AMPC_NONFINITE_FAIL };

/* One program. Outputs of TRAIN, GRAD and APPLY are scalars for the runtime's report; outputs of
   EVAL and EXPORT go to the caller. */
typedef struct {
  const char *name; /* C suffix: "train_step", "fit_grad", "predict" */
  int32_t kind;
  int32_t step_slot;   /* slot that counts this step's updates, or -1 */
  int32_t loss_output; /* output with the loss, or -1 */
  int32_t loss_ready;  /* index of the first top-level entry after the loss: earlier entries compute
                          the loss and write no state; or -1 */
  int32_t norm_output; /* output with the 2-norm of the gradients, or -1 */
  int32_t rate_output; /* output with the learning rate, or -1 */
  int32_t nonfinite_output; /* output with the number of non-finite gradient elements, or -1 */
  int32_t nonfinite;        /* AMPC_NONFINITE_... */
  int32_t scale_slot; /* slot with the dynamic loss scale, or -1; with a scale, a non-finite loss
                         skips the step, too */
  int32_t input_count, output_count, entry_count, operand_count;
  int32_t batch;       /* rows of a full batch; 0 if no input is batched */
  int32_t short_batch; /* 1 if batches with fewer valid rows are supported */
  const ampc_tensor *inputs;
  const ampc_tensor *outputs;
  const ampc_entry *entries;
  const ampc_operand *operands;
  int64_t arena_bytes;
  const char *optimizer; /* TRAIN: optimizer rules, as recorded in checkpoints; or null */
  int32_t number_count;  /* number of named outputs after the loss that the step reports */
  const char *step;      /* name of the train.step of this program; or null */
  const char *mixing;    /* op that mixes rows, "train.reduce_sum (loss/reduce_sum#0)"; or null */
} ampc_program;

/* A model compiled for one target. Slots other than working copies, and public programs, have the
   same numbers and names for all targets. */
typedef struct ampc_model {
  const char *name;
  uint32_t tiers;                 /* bit t: the object has code for tier t */
  int32_t first_tier, tier_count; /* of the target */
  int32_t slot_count, program_count, kernel_count;
  const ampc_slot *slots;
  const ampc_program *programs;
  const ampc_kernel *kernels;
  const void *const *constants;
  const int64_t *constant_bytes;
  int32_t constant_count;
  int64_t state_bytes; /* bytes of all slots */
  int64_t arena_bytes; /* bytes of the largest program's arena */
  uint64_t state_hash; /* hash of names, shapes, types and optimizer; an exact resume requires equal
                          hashes */
  uint64_t plan_hash;  /* equal hashes promise bit-equal results */
  const struct ampc_model *next;       /* same model for the next preferred target; or null */
  const struct ampc_rt_device *device; /* device that runs the code; null: the host */
  const ampc_image *images;            /* device images, in order of preference */
  int32_t image_count;
} ampc_model;
#endif
