// When losses are computed in parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_KERNEL_CHUNKING_H
#define AMPC_KERNEL_CHUNKING_H

#include <cstdint>

namespace ampc {
/// Scores of no more bytes than these are not worth a loop.
constexpr int64_t smallScores = int64_t(64) << 20;
} // namespace ampc
#endif
