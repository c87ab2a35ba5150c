// Keys, hash and tensor ranges shared by the writer (Save.c) and the reader (Load.c) of
// checkpoints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_CHECKPOINT_H
#define AMPC_LIB_RUNTIME_CHECKPOINT_H

#include "lib/Runtime/Internal.h"
#include "lib/Runtime/Json.h"
#include "lib/Runtime/Proof.h"

/* Metadata key for the number of runs of a program, e.g. "runs.train_step". */
#define AMPC_RUNS_KEY "runs."
/* Metadata key for the optimizers of a program: this prefix and the program's name. */
#define AMPC_RULES_KEY "optimizer."

/* Hash of the bytes of all saved slots in the order of the slots, which is the order of the file.
 */
uint64_t ampc_rt_data_hash(const ampc_state *state);

/* Sorts tensors by offset. Returns the end of the last tensor, or -1 at a gap or an overlap. */
int64_t ampc_rt_sort_ranges(ampc_rt_range *ranges, int32_t count);

#endif
