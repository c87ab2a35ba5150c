// One run of a program: what the walker needs to know.
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
  void *control_place; /* of the ampc_control that kernels read */
  void *stop;          /* of a device: see ampc_launch */
  unsigned char *scratch;
  size_t scratch_stride;
  unsigned char *room;     /* for the whole tensors of a short batch */
  int32_t shares;          /* threads of this call */
  ampc_rt_share *open;     /* room for what is left of each share; null: shares are fixed */
  const ampc_hooks *hooks; /* null in calls with a workspace */
  void **operands;         /* room for those of one entry */
  const void *const *inputs;
  void *const *outputs;
  ampc_control control;
  const ampc_slot *random; /* the slot whose place control.random takes; or null */
  /* Null on the host; else runs a kernel whose operands are in `operands`. Not 0: it could not. */
  int (*launch)(const ampc_rt_call *call, const ampc_entry *entry);
};

/* Puts whole batches in the room of the call in place of the caller's tensors, of which only the
   rows that count are there. */
void ampc_rt_widen(ampc_rt_call *call);
/* Gives the caller the rows of the outputs that count. */
void ampc_rt_narrow(const ampc_rt_call *call, void *const *outputs);

/* Of a training program without a loss scale that skips: the number of entries that compute the
   loss; what follows has to wait until it is known to be finite. Else 0. */
int32_t ampc_rt_guarded_entries(const ampc_program *program);
/* Runs the top-level entries [begin, end). Not 0: what a launch on a device returned. */
int ampc_rt_walk(const ampc_rt_call *call, int32_t begin, int32_t end);

#endif
