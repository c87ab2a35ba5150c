// Tensors that are slices of others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_COMMON_SLICES_H
#define LIB_TARGET_COMMON_SLICES_H

#include "mlir/IR/Value.h"

namespace ampc::target {

/// No load or store of any target asks for more.
constexpr int64_t mostAligned = 16;

/// Bytes at multiples of which the tensor of a kernel starts, at most `mostAligned`. Buffers start
/// there whoever owns them: state, arena, constants, and inputs and outputs, which runtimes of
/// devices copy. Slices lie one behind the other: micro-batches of an input, and what runs of a
/// called program read and write in turn.
int64_t alignmentOf(mlir::Value tensor);
/// Whether the tensor, which a kernel writes, or a view of it is a result of the program: then it
/// lies where a caller has its memory.
bool isReturned(mlir::Value tensor);
/// Whether vectors of `count` elements are aligned at the tensor's start.
bool startsAligned(mlir::Value tensor, int64_t count);

} // namespace ampc::target
#endif
