// Runtime functions behind the NAME_* functions of a compiled model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_RUNTIME_RUNTIME_H
#define AMPC_RUNTIME_RUNTIME_H

#include "ampc/Runtime/Model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque state of a model; NAME_state in NAME.h. */
typedef struct ampc_state ampc_state;

/* Common head of all NAME_*_in structs; `inputs` has a pointer per input of the program. For eval
   and exports a uint64_t may follow, the seed of the call, if `size` includes it. */
typedef struct {
  uint32_t size;   /* sizeof of the whole struct */
  uint32_t valid;  /* number of valid rows, which is also the number of rows in inputs and outputs;
                      0: all */
  float lr_factor; /* factor on the learning rate; 0 means 1 */
  uint32_t flags;  /* of AMPC_RUN_CHECK_FINITE and AMPC_RUN_NO_ROWS */
  void *workspace; /* eval and exports: null, or NAME_workspace_bytes() bytes aligned to 64 bytes */
  const void *inputs[];
} ampc_run_in;

/* Common head of all NAME_*_out structs of eval and exports, with a pointer per output of the
   program. */
typedef struct {
  uint32_t size;
  uint32_t reserved;
  void *outputs[];
} ampc_run_out;

/* Device interface of models for NVIDIA GPUs. */
extern const struct ampc_rt_device ampc_rt_cuda;

/* Choice of code for a state. */
typedef struct {
  const ampc_model *model; /* the model compiled for the chosen target */
  int32_t tier;
  int32_t device; /* device number, if the target is a device */
} ampc_rt_choice;

/* Chooses the first target with code for this machine, and the best of its tiers, or the tier named
   by AMPC_ISA. Among GPU targets only the best for this machine is considered. `device`: see
   ampc_options. `error` (AMPC_ERROR_BYTES, may be null) names the missing requirement. */
ampc_status ampc_rt_choose(const ampc_model *model, const char *device, ampc_rt_choice *choice,
                           char *error);
/* Compute capability that the code of a tier requires, times ten; 0 for a tier of the host. */
int32_t ampc_rt_tier_capability(int32_t tier);
size_t ampc_rt_state_bytes(const ampc_model *model, const ampc_options *options);
ampc_status ampc_rt_create(const ampc_model *model, const ampc_options *options,
                           ampc_state **state);
void ampc_rt_destroy(ampc_state *state);
void ampc_rt_set_hooks(ampc_state *state, const ampc_hooks *hooks);

/* Runs a program. `out` is an ampc_train_out for training programs, else an ampc_run_out. */
ampc_status ampc_rt_run(ampc_state *state, int32_t program, const void *in, void *out);
/* Runs a training program with non-scalar outputs, which only the compiler's own tools create.
   `observed` has a buffer per output of the program, null for outputs that the runtime reports. */
ampc_status ampc_rt_run_observed(ampc_state *state, int32_t program, const void *in, void *out,
                                 void *const *observed);
/* Bytes of the workspace that an eval or export call needs to run concurrently with other calls. */
size_t ampc_rt_workspace_bytes(const ampc_model *model);
/* Rebuilds working copies after a caller has written parameters in place. */
ampc_status ampc_rt_refresh(ampc_state *state);

/* Number of runs of a TRAIN or GRAD program in this training, including skipped runs, so that a
   resumed training continues at its position in the data. Saved in checkpoints. */
uint64_t ampc_rt_runs(const ampc_state *state, int32_t program);
/* Sets the run count, for tools that repeat a refused run. */
void ampc_rt_set_runs(ampc_state *state, int32_t program, uint64_t runs);

ampc_status ampc_rt_save(ampc_state *state, const char *path);
ampc_status ampc_rt_load(ampc_state *state, const char *path, uint32_t flags);

/* Number of state tensors, excluding working copies, which belong to the library and differ between
   targets. */
int32_t ampc_rt_tensor_count(const ampc_model *model);
/* Description of a tensor; null for an invalid number. */
const ampc_tensor *ampc_rt_tensor(const ampc_model *model, int32_t number);
/* Number of the tensor, or -1. */
int32_t ampc_rt_find_tensor(const ampc_model *model, const char *name);
int32_t ampc_rt_tensor_role(const ampc_model *model, int32_t number);
/* Address of a tensor's memory, on the device if the state is on a device. Null if the state lacks
   the tensor. */
void *ampc_rt_tensor_data(ampc_state *state, int32_t number);
/* Copies a whole tensor from or to host memory; set also rebuilds working copies. `bytes` must
   equal the size of the tensor. */
ampc_status ampc_rt_get(ampc_state *state, int32_t number, void *data, size_t bytes);
ampc_status ampc_rt_set(ampc_state *state, int32_t number, const void *data, size_t bytes);

/* DLPack view of a tensor (the struct without a version number). The memory belongs to the state
   and is valid as long as the state; `deleter` frees the description only. */
struct DLManagedTensor;
ampc_status ampc_rt_dlpack(ampc_state *state, int32_t number, struct DLManagedTensor **view);

const char *ampc_rt_tier(const ampc_state *state);
const char *ampc_rt_last_error(const ampc_state *state);
const char *ampc_rt_status_string(ampc_status status);

#ifdef __cplusplus
}
#endif
#endif
