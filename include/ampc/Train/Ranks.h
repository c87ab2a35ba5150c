// Number of processes that train a model together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_RANKS_H
#define AMPC_TRAIN_RANKS_H

#include <cstdint>

namespace ampc {
/// Largest number of ranks: each one has a message to and from each other one in an exchange.
inline constexpr int64_t mostRanks = 4096;
} // namespace ampc
#endif
