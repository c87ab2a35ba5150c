// Neighbouring points of a fused kernel by one thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_RUNS_H
#define LIB_TARGET_NVPTX_RUNS_H

#include "lib/Target/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Points along one dimension of a space that are read as vectors where their elements are
/// neighbours in memory.
struct Runs {
  using Value = mlir::Value;

  /// As many points as fill 16 bytes of the widest input, at most `most`, if vectors are aligned
  /// wherever the dimension starts, and at multiples of `step` along it.
  Runs(FusedKernelOpInterface op, const target::IterationSpace &space, unsigned along, int64_t step,
       int64_t most = 8);

  /// The inputs at `points` points from `dims` on; scattered ones are left to the point that needs
  /// them.
  llvm::SmallVector<target::Body::Values> read(DeviceEmitter &e, const KernelPointers &pointers,
                                               llvm::ArrayRef<Value> dims) const;
  /// What the body yields at those points, result by result.
  llvm::SmallVector<llvm::SmallVector<Value>> yields(DeviceEmitter &e,
                                                     const KernelPointers &pointers,
                                                     target::Body &body,
                                                     llvm::ArrayRef<Value> dims) const;

  FusedKernelOpInterface op;
  const target::IterationSpace &space;
  unsigned along;
  int64_t points = 1;
};

} // namespace ampc::nvptx
#endif
