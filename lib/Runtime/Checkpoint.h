// What writing and reading checkpoints share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_CHECKPOINT_H
#define AMPC_LIB_RUNTIME_CHECKPOINT_H

#include "lib/Runtime/Internal.h"
#include "lib/Runtime/Json.h"
#include "lib/Runtime/Proof.h"

/* Metadata: this and a program's name, with the number of its runs. */
#define AMPC_RUNS_KEY "runs."
/* The same with a step's optimizers. */
#define AMPC_RULES_KEY "optimizer."

/* Of the bytes of all saved slots in their order, which is that of the file. */
uint64_t ampc_rt_data_hash(const ampc_state *state);

/* Sorts tensors by place; where the last one ends, or -1 if there are gaps or overlaps. */
int64_t ampc_rt_sort_ranges(ampc_rt_range *ranges, int32_t count);

#endif
