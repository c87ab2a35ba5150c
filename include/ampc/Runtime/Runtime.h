// The functions behind the NAME_* functions of a compiled model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_RUNTIME_RUNTIME_H
#define AMPC_RUNTIME_RUNTIME_H

#include "ampc/Runtime/Model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A state of a model; NAME_state in NAME.h. */
typedef struct ampc_state ampc_state;

/* Head of every NAME_*_in; `inputs` has one pointer per input of the program. Behind them eval and
   exports may have a uint64_t, if `size` says so: the seed of the call. */
typedef struct {
  uint32_t size;   /* sizeof of the whole struct */
  uint32_t valid;  /* rows of the batch that count, and that inputs and outputs hold; 0: all */
  float lr_factor; /* factor on the learning rate; 0: 1 */
  uint32_t flags;  /* 0 */
  void *workspace; /* eval and exports: null, or NAME_workspace_bytes() of memory aligned to 64
                      bytes */
  const void *inputs[];
} ampc_run_in;

/* Head of every NAME_*_out of eval and exports; one pointer per output of the program. */
typedef struct {
  uint32_t size;
  uint32_t reserved;
  void *outputs[];
} ampc_run_out;

/* What a model for NVIDIA's GPUs names as its device. */
extern const struct ampc_rt_device ampc_rt_cuda;

/* What a state runs on. */
typedef struct {
  const ampc_model *model; /* for one target */
  int32_t tier;
  int32_t device; /* number of the device, if the model is for one */
} ampc_rt_choice;

/* Chooses the first of a model's targets with code that this machine runs, and the best of its
   tiers; or those with the tier that AMPC_ISA names. Of the targets that are for GPUs, the best one
   stands for all. `device`: see ampc_options. `error` (AMPC_ERROR_BYTES, may be null) names what
   is missing. */
ampc_status ampc_rt_choose(const ampc_model *model, const char *device, ampc_rt_choice *choice,
                           char *error);
/* Ten times the compute capability that code of the tier needs; 0 if it is the host's. */
int32_t ampc_rt_tier_capability(int32_t tier);
size_t ampc_rt_state_bytes(const ampc_model *model, const ampc_options *options);
ampc_status ampc_rt_create(const ampc_model *model, const ampc_options *options,
                           ampc_state **state);
void ampc_rt_destroy(ampc_state *state);
void ampc_rt_set_hooks(ampc_state *state, const ampc_hooks *hooks);

/* Runs program number `program`; `out` is an ampc_train_out for training programs, else an
 * ampc_run_out. */
ampc_status ampc_rt_run(ampc_state *state, int32_t program, const void *in, void *out);
/* The same for a training program with outputs that are no scalars, which only the compiler's own
   tools make: `observed` has one place per output of the program, null for those that the runtime
   reports. */
ampc_status ampc_rt_run_observed(ampc_state *state, int32_t program, const void *in, void *out,
                                 void *const *observed);
/* Bytes of a workspace for calls of eval and exports that run beside one another. */
size_t ampc_rt_workspace_bytes(const ampc_model *model);
/* Rebuilds working copies after a caller has written parameters in place. */
ampc_status ampc_rt_refresh(ampc_state *state);

/* Runs of a TRAIN or GRAD program in this training, skipped ones too, so that a resumed training
   can go on at its place in the data. Part of checkpoints. */
uint64_t ampc_rt_runs(const ampc_state *state, int32_t program);
/* For tools that do a refused run again. */
void ampc_rt_set_runs(ampc_state *state, int32_t program, uint64_t runs);

ampc_status ampc_rt_save(ampc_state *state, const char *path);
ampc_status ampc_rt_load(ampc_state *state, const char *path, uint32_t flags);

/* Without working copies, which belong to the library and differ between targets. */
int32_t ampc_rt_tensor_count(const ampc_model *model);
/* Null if there is no such tensor. */
const ampc_tensor *ampc_rt_tensor(const ampc_model *model, int32_t number);
/* Number of the tensor, or -1. */
int32_t ampc_rt_find_tensor(const ampc_model *model, const char *name);
int32_t ampc_rt_tensor_role(const ampc_model *model, int32_t number);
/* Where the tensor is: memory of the device, if the state is on one. Null if the state has none of
   that number. */
void *ampc_rt_tensor_data(ampc_state *state, int32_t number);
/* Copies of a whole tensor, wherever it is; set also rebuilds working copies. `bytes` has to be
   those of the tensor. */
ampc_status ampc_rt_get(ampc_state *state, int32_t number, void *data, size_t bytes);
ampc_status ampc_rt_set(ampc_state *state, int32_t number, const void *data, size_t bytes);

/* A view of a tensor as DLPack describes one (the struct without a version number). Its memory is
   the state's and valid as long; `deleter` frees the description. */
struct DLManagedTensor;
ampc_status ampc_rt_dlpack(ampc_state *state, int32_t number, struct DLManagedTensor **view);

const char *ampc_rt_tier(const ampc_state *state);
const char *ampc_rt_last_error(const ampc_state *state);
const char *ampc_rt_status_string(ampc_status status);

#ifdef __cplusplus
}
#endif
#endif
