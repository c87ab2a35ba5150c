// One run of a program: what the walker needs to know.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_RUN_H
#define AMPC_LIB_RUNTIME_RUN_H

#include "lib/Runtime/Internal.h"

typedef struct {
  const ampc_state *state;
  const ampc_program *program;
  unsigned char *arena;
  unsigned char *scratch;
  size_t scratch_stride;
  unsigned char *room;     /* for the whole tensors of a short batch */
  int32_t shares;          /* threads of this call */
  const ampc_hooks *hooks; /* null in calls with a workspace */
  void **operands;         /* room for those of one entry */
  const void *const *inputs;
  void *const *outputs;
  ampc_control control;
} ampc_rt_call;

/* Puts whole batches in the room of the call in place of the caller's tensors, of which only the
   rows that count are there. */
void ampc_rt_widen(ampc_rt_call *call);
/* Gives the caller the rows of the outputs that count. */
void ampc_rt_narrow(const ampc_rt_call *call, void *const *outputs);

/* Runs the top-level entries [begin, end). */
void ampc_rt_walk(const ampc_rt_call *call, int32_t begin, int32_t end);

#endif
