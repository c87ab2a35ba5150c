// Threshold of chunked losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_CHUNKING_H
#define AMPC_KERNEL_CHUNKING_H

#include <cstdint>

namespace ampc {
/// Largest score tensor in bytes (64 MiB) that is materialized: below this size a loop over row
/// chunks does not pay.
constexpr int64_t smallScores = int64_t(64) << 20;
} // namespace ampc
#endif
