// What a kind of device brings: functions that the rest of the runtime calls in place of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model whose tables name a device has its state there. The state block of the host holds copies
// of all tensors, which are valid where a comment says so.
#ifndef AMPC_LIB_RUNTIME_DEVICE_H
#define AMPC_LIB_RUNTIME_DEVICE_H

#include "lib/Runtime/Run.h"

struct ampc_rt_device {
  const char *name;    /* as in ampc_options.device */
  int32_t dlpack_type; /* as DLPack numbers kinds of devices */
  /* Ten times the compute capability of device number `number`. */
  ampc_status (*probe)(int32_t number, int32_t *capability, char *error);
  /* Bytes of what the functions below keep for a state, at layout.device. */
  size_t (*bytes)(const ampc_model *model);
  ampc_status (*create)(ampc_state *state, int32_t number, void *stream, char *error);
  void (*destroy)(ampc_state *state);
  /* All tensors, from the host's block to the device, or back; the host has them after `pull` until
     `forget`. */
  ampc_status (*push)(ampc_state *state, char *error);
  ampc_status (*pull)(const ampc_state *state, char *error);
  void (*forget)(const ampc_state *state);
  /* One tensor; `data` is memory of the host. */
  ampc_status (*write)(ampc_state *state, const ampc_slot *slot, const void *data, char *error);
  ampc_status (*read)(const ampc_state *state, const ampc_slot *slot, void *data, char *error);
  int32_t (*number)(const ampc_state *state); /* of the state's device */
  void *(*address)(const ampc_state *state, const ampc_slot *slot);
  /* Whether `data` is memory of a device, which the host cannot read; `run` checks labels there. */
  bool (*holds)(const ampc_state *state, const void *data);
  /* Runs a program with the call's inputs and outputs, memory of the host or of the device. After a
     training program the host's block has the loss scale and the number of updates, and *refused
     says whether the loss was not finite, which left the state as it was. */
  ampc_status (*run)(const ampc_rt_call *call, bool *refused, char *error);
};

/* Whether a device of ten times this compute capability runs the code of a model for `tier`. */
bool ampc_rt_takes_image(const ampc_image *image, int32_t tier, int32_t capability);

#endif
