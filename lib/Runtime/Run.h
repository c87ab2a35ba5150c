// Arguments of one run of a program, and the walk over the program's entries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_RUN_H
#define AMPC_LIB_RUNTIME_RUN_H

#include "lib/Runtime/Internal.h"

typedef struct ampc_rt_call ampc_rt_call;
struct ampc_rt_call {
  const ampc_state *state;
  const ampc_program *program;
  unsigned char *slots, *arena;
  const void *const *constants;
  void *control_place; /* address of the ampc_control that kernels read */
  void *stop;          /* flag in a device's memory: see ampc_launch */
  unsigned char *scratch;
  size_t scratch_stride;
  unsigned char *room;     /* padded tensors of a short batch */
  int32_t shares;          /* threads of this call */
  ampc_rt_share *open;     /* unclaimed tasks per share; null: shares are fixed */
  const ampc_hooks *hooks; /* null in calls with a workspace */
  void **operands;         /* operand addresses of one entry */
  const void *const *inputs;
  void *const *outputs;
  ampc_control control;
  const ampc_slot *random; /* slot that control.random replaces in this call; or null */
  /* Null on the host; on a device, launches the kernel of an entry on `operands`. Returns 0, or the
     driver's error. */
  int (*launch)(const ampc_rt_call *call, const ampc_entry *entry);
};

/* Checks of the arguments of a call: its head and numbers, its input tensors, of which `valid` rows
   count, and its outputs. `out`: an ampc_train_out, which may be null, or an ampc_run_out. */
ampc_status ampc_rt_check_in(const ampc_state *state, const ampc_program *program,
                             const ampc_run_in *in, char *error);
ampc_status ampc_rt_check_inputs(const ampc_state *state, const ampc_program *program,
                                 const ampc_run_in *in, int64_t valid, char *error);
ampc_status ampc_rt_check_out(const ampc_program *program, const void *out, char *error);

/* Pads a short batch: replaces the caller's tensors of control.valid rows by whole batches in
   `room`, e.g. [5, 4] -> [8, 4]. */
void ampc_rt_pad_batch(ampc_rt_call *call);
/* Copies the first control.valid rows of the padded outputs to the caller's outputs. */
void ampc_rt_unpad_batch(const ampc_rt_call *call, void *const *outputs);

/* Number of entries up to the loss for training programs without a loss scale that skips: the
   entries behind wait until the loss is known to be finite. 0 for other programs. */
int32_t ampc_rt_guarded_entries(const ampc_program *program);
/* Runs the top-level entries [begin, end). Returns 0, or the error of a launch on a device. */
int ampc_rt_walk(const ampc_rt_call *call, int32_t begin, int32_t end);

#endif
