// Alignment of tensors that are slices of other tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_SLICES_H
#define LIB_CODEGEN_COMMON_SLICES_H

#include "mlir/IR/Value.h"

namespace ampc::target {

/// Largest alignment in bytes that a load or store of any target requires.
constexpr int64_t mostAligned = 16;

/// Alignment of a kernel's tensor in bytes, at most `mostAligned`. Buffers have that alignment
/// whoever owns them: state, arena, constants, and inputs and outputs, which device runtimes copy.
/// Slices are contiguous, so slice i starts at i * size: micro-batches of an input, and the
/// operands and results of outlined loop bodies.
int64_t alignmentOf(mlir::Value tensor);
/// Whether a tensor written by a kernel, or a view of the tensor, is a result of the program and
/// therefore in the caller's buffer.
bool isReturned(mlir::Value tensor);
/// Whether vectors of `count` elements are aligned at the start of the tensor.
bool startsAligned(mlir::Value tensor, int64_t count);

} // namespace ampc::target
#endif
