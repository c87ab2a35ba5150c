// Interface of a device driver: functions that the runtime calls for a state on a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model with a device in its tables keeps the state in device memory. The host's state block
// holds copies of all tensors, valid only where a comment below says so.
#ifndef AMPC_LIB_RUNTIME_DEVICE_H
#define AMPC_LIB_RUNTIME_DEVICE_H

#include "lib/Runtime/Run.h"

struct ampc_rt_device {
  const char *name;    /* as in ampc_options.device */
  int32_t dlpack_type; /* as DLPack numbers kinds of devices */
  /* Ten times the compute capability of device number `number`. */
  ampc_status (*probe)(int32_t number, int32_t *capability, char *error);
  /* Bytes of the device's own data per state, at layout.device. */
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
  int32_t (*number)(const ampc_state *state); /* ordinal of the state's device */
  void *(*address)(const ampc_state *state, const ampc_slot *slot);
  /* True for device memory, which the host cannot read; `run` then checks labels on the device. */
  bool (*holds)(const ampc_state *state, const void *data);
  /* Runs a program with the call's inputs and outputs, memory of the host or of the device. After a
     training program the host's block has the loss scale and the number of updates, and *refused is
     true if the loss was not finite, in which case the state is unchanged. */
  ampc_status (*run)(const ampc_rt_call *call, bool *refused, char *error);
};

/* True if a device runs the image for `tier`. `capability`: ten times the compute capability, e.g.
   sm_90 = 90. */
bool ampc_rt_takes_image(const ampc_image *image, int32_t tier, int32_t capability);

#endif
