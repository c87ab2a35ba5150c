/* Engine for ranks that are threads of one process. Link lib/Comm/Threads.c.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef AMPC_COMM_THREADS_H
#define AMPC_COMM_THREADS_H

#include "ampc/Runtime/Common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Group of the ranks of a training, for example 4 threads of a program. */
typedef struct ampc_threads ampc_threads;

/* Returns null if memory is short or `ranks` is not positive. */
ampc_threads *ampc_threads_create(int32_t ranks);
/* All states with an engine of the group have to be destroyed before. */
void ampc_threads_destroy(ampc_threads *group);
/* Engine of a rank, for a single state. `create` copies the struct: example
   `options.comm = &engine`. */
ampc_comm ampc_threads_comm(ampc_threads *group, int32_t rank);
/* For tests: polls of complete exchanges report "not yet" for a pseudo-random number of times, at
   most `most`, so that exchanges end late and in another order. */
void ampc_threads_delay(ampc_threads *group, uint64_t seed, uint32_t most);

#ifdef __cplusplus
}
#endif
#endif
