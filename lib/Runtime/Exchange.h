// Exchanges between the ranks of a training.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_EXCHANGE_H
#define AMPC_LIB_RUNTIME_EXCHANGE_H

#include "lib/Runtime/Run.h"

/* Bytes of the table of exchanges in a state; 0 for a model of one rank. */
size_t ampc_rt_exchange_bytes(const ampc_model *model);
/* Checks options.comm, gives the engine all exchanges, and agrees with the other ranks on library,
   tier and seed. */
ampc_status ampc_rt_exchange_create(ampc_state *state, const ampc_options *options, char *error);
/* Agreement of all ranks before a training call: AMPC_E_PEER if another rank makes another call or
   refuses its arguments. `in`: the arguments, not read if `status`, the result of the checks of
   this rank, is an error, which is then returned. Returns `status` for a model of one rank. */
ampc_status ampc_rt_agree(const ampc_state *state, const ampc_program *program,
                          const ampc_run_in *in, ampc_status status, char *error);
/* Whether a call of the program may lack rows on this rank, AMPC_RUN_NO_ROWS. */
bool ampc_rt_may_lack_rows(const ampc_state *state, const ampc_program *program);
/* Runs an entry of kind START, WAIT or RANK. Returns 0 or AMPC_E_PEER. */
int ampc_rt_run_exchange(const ampc_rt_call *call, const ampc_entry *entry);
/* Waits for the exchanges that entries before `begin` have started, when a call ends there. */
int ampc_rt_drain(const ampc_rt_call *call, int32_t begin);
/* AMPC_E_PEER with the number of the exchange that failed. */
ampc_status ampc_rt_exchange_error(const ampc_state *state, const char *where, char *error);

#endif
