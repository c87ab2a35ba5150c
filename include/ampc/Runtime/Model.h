// What the compiler writes into an object and the runtime walks: tables, no code of its own.
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

/* One object holds the code of all tiers; create picks one by feature bits or AMPC_ISA. Those of a
   target follow one another. */
enum {
  AMPC_TIER_PLAIN,
  AMPC_TIER_AVX2,
  AMPC_TIER_AVX512,
  AMPC_TIER_AVX512BF16,
  AMPC_TIER_AMX,
  AMPC_TIER_AMXFP16,
  AMPC_TIER_REFERENCE, /* of the target reference; any processor runs it */
  AMPC_TIER_SM_75,     /* of NVIDIA's GPUs: the compute capability that the code is for */
  AMPC_TIER_SM_80,
  AMPC_TIER_SM_86,
  AMPC_TIER_SM_89,
  AMPC_TIER_SM_90A,
  AMPC_TIER_SM_100,
  AMPC_TIER_SM_120,
  AMPC_TIERS
};

/* Runs the tasks [begin, end) of a launch. `operands`: addresses of the kernel's operands, then of
   its results, then (if the entry has one) of its workspace. `scratch`: 64-byte aligned memory of
   the calling thread, with unspecified contents. */
typedef void (*ampc_kernel_fn)(void *const *operands, int64_t begin, int64_t end, void *scratch);

/* A kernel in one tier. */
typedef struct {
  ampc_kernel_fn run;    /* null: the object has no code for the tier */
  ampc_kernel_fn finish; /* null, or has tasks that run after all of those */
  int64_t tasks, finish_tasks;
  int64_t scratch_bytes; /* per thread */
} ampc_code;

enum { AMPC_MAPS = 8, AMPC_MAP_RANK = 5, AMPC_MAP_BYTES = 128 };

/* A tensor in the memory of one of the kernel's operands, results or its workspace, of which a
   device copies boxes. Dimension 0 is of neighbours. */
typedef struct {
  int64_t offset; /* bytes */
  uint64_t sizes[AMPC_MAP_RANK];
  uint64_t strides[AMPC_MAP_RANK - 1]; /* bytes, from dimension 1 on */
  uint32_t box[AMPC_MAP_RANK];
  int32_t operand, dtype, rank;
  int32_t swizzle; /* bytes of a row whose chunks change places; or 0 */
  int32_t unused;
} ampc_tensor_map;

/* One launch of a device's code. Its parameters are the addresses of the kernel's operands, results
   and workspace, or those of them that `parameters` names, then the address of an int32_t, or null:
   where that is not 0, the launch writes nothing; then the tensor maps, of AMPC_MAP_BYTES. */
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
  const ampc_code
      *code;            /* one per tier of the model's target, the lowest first; null for devices */
  int32_t launch_count; /* of a device: in their order */
  const ampc_launch *launches;
} ampc_kernel;

enum { AMPC_IMAGE_PTX, AMPC_IMAGE_CUBIN };

/* All code of a device. */
typedef struct {
  int32_t kind;
  int32_t capability; /* ten times the compute capability that it is for */
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

/* Layout of the control space, written by the runtime before a program runs. */
typedef struct {
  int32_t valid;      /* rows of the batch that count */
  float lr_factor;    /* factor on the learning rate, from the caller; 1 by default */
  uint64_t random[2]; /* seed and counter of evaluations and exports, for the slot of role RANDOM */
} ampc_control;

typedef struct {
  int32_t space;
  int32_t number; /* of the input, output or constant */
  int64_t offset; /* bytes */
  int64_t stride; /* of calls: bytes from one run of the program to the next */
} ampc_operand;

enum { AMPC_ENTRY_KERNEL, AMPC_ENTRY_CALL };

/* One row of a program. A kernel's operands are those of the kernel. Those of a call are the inputs
   and the outputs of the program that it runs, then one more place for each of the first `carried`
   outputs, then that program's arena. The program runs `times` times. What its first `carried`
   outputs held after one run are its first inputs in the next: they are written in turns to the
   output's place and to the further one, to the output's place last. */
typedef struct {
  int32_t kind;
  int32_t number;        /* of a kernel or a program of the model */
  int32_t first_operand; /* in the program's operands */
  int32_t operand_count;
  int32_t times, carried; /* of a call */
  int32_t writes_state;   /* 1: of what a step that is refused must not change */
  const char *name;       /* of the source op, for profiles and messages */
} ampc_entry;

enum {
  AMPC_INIT_CONSTANT,
  AMPC_INIT_UNIFORM,
  AMPC_INIT_NORMAL,
  AMPC_INIT_TRUNCATED_NORMAL,
  AMPC_INIT_DATA
};

/* State: parameters, buffers, moments, ... in one block. Working copies have the last numbers: each
   target has its own. Gradients that follow all other slots cost
   memory only in states created with want_split. A slot of role RANDOM is tensor<2xi64>: seed and
   counter; programs read it, and the runtime advances the counter with every run of a TRAIN or GRAD
   program. */
typedef struct {
  ampc_tensor tensor;
  int32_t role;
  int32_t init;
  double a, b;      /* constant; bounds; mean and standard deviation */
  int64_t offset;   /* bytes in the state block, a multiple of 64 */
  const void *data; /* of AMPC_INIT_DATA: all elements; null: in options.initial_data */
} ampc_slot;

enum {
  AMPC_PROGRAM_TRAIN,
  AMPC_PROGRAM_GRAD,
  AMPC_PROGRAM_APPLY,
  AMPC_PROGRAM_EVAL,
  AMPC_PROGRAM_EXPORT,
  AMPC_PROGRAM_DERIVE, /* rebuilds working copies after create and load */
  AMPC_PROGRAM_PART    /* others call it; these come last */
};

/* The attribute of a step: it updates all the same, leaves the state as it was with a warning, or
   with an error. */
enum { AMPC_NONFINITE_ALLOW, AMPC_NONFINITE_SKIP, AMPC_NONFINITE_FAIL };

/* Outputs of TRAIN, GRAD and APPLY are scalars that the runtime reports; those of EVAL and EXPORT
 * go to the caller. */
typedef struct {
  const char *name; /* C suffix: "train_step", "fit_grad", "predict" */
  int32_t kind;
  int32_t step_slot;   /* number of the slot that counts this step's updates, or -1 */
  int32_t loss_output; /* number of the output that holds the loss, or -1 */
  int32_t loss_ready;  /* number of a top-level entry: those before it have computed the loss and
                          written no state; or -1 */
  int32_t norm_output; /* number of the output with the gradients' 2-norm, or -1 */
  int32_t rate_output; /* number of the output with the learning rate, or -1 */
  int32_t nonfinite_output; /* number of the output that counts elements of gradients that are not
                               finite, or -1 */
  int32_t nonfinite;        /* what the step does about them */
  int32_t scale_slot; /* number of the slot with the dynamic loss scale, or -1; then a bad loss
                         skips, too */
  int32_t input_count, output_count, entry_count, operand_count;
  int32_t batch;       /* rows of a full batch; 0 if no input is batched */
  int32_t short_batch; /* 1 if fewer valid rows are supported */
  const ampc_tensor *inputs;
  const ampc_tensor *outputs;
  const ampc_entry *entries;
  const ampc_operand *operands;
  int64_t arena_bytes;
  const char *optimizer; /* of TRAIN: the step's rules, as checkpoints tell them; or null */
  int32_t number_count;  /* outputs behind the loss that the step reports by name */
  const char *step;      /* name of the train.step that the program belongs to; or null */
} ampc_program;

/* A model for one target. Slots that are no working copies, and the programs that callers see, have
   the same numbers and names for every target. */
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
  int64_t state_bytes;           /* all slots */
  int64_t arena_bytes;           /* the largest program's */
  uint64_t state_hash;           /* names, shapes, types, optimizer: equal for a full resume */
  uint64_t plan_hash;            /* equal: bit-equal results promised */
  const struct ampc_model *next; /* the same model for another target, wanted less; or null */
  const struct ampc_rt_device *device; /* null: the host runs the code */
  const ampc_image *images;            /* of a device, the one to try first coming first */
  int32_t image_count;
} ampc_model;
#endif
