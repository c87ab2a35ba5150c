// What writing and reading checkpoints share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_CHECKPOINT_H
#define AMPC_LIB_RUNTIME_CHECKPOINT_H

#include "lib/Runtime/Internal.h"
#include "lib/Runtime/Json.h"

#define AMPC_DATA_HASH_SEED 0x616d7063ull

/* Metadata: this and a program's name, with the number of its runs. */
#define AMPC_RUNS_KEY "runs."
/* The same with a step's optimizers. */
#define AMPC_RULES_KEY "optimizer."

/* Metadata of ampc's checkpoints, first in the header: a version, which makes the keys behind it
   mandatory, and a hash of the header's bytes in which the digits of that hash are zeros. With the
   data's hash, which is a part of the header, it covers the whole file. Older files lack both. */
#define AMPC_VERSION_KEY "version"
#define AMPC_HEADER_HASH_KEY "header_hash"
enum { AMPC_HASH_DIGITS = 16 };
/* Finds the digits of the header's hash; null: it has none. No string of JSON can have this text
   inside, since its quotes would have backslashes. */
char *ampc_rt_find_header_hash(char *header, size_t bytes);
/* The hash of a header, with zeros in place of its own digits. */
uint64_t ampc_rt_header_hash(const char *header, size_t bytes);

/* Of the bytes of all saved slots in their order, which is that of the file. */
uint64_t ampc_rt_data_hash(const ampc_state *state);

/* Sorts tensors by place; where the last one ends, or -1 if there are gaps or overlaps. */
int64_t ampc_rt_sort_ranges(ampc_rt_range *ranges, int32_t count);

#endif
