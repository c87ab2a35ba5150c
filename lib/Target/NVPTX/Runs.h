// Neighbouring points of a fused kernel by one thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_RUNS_H
#define LIB_TARGET_NVPTX_RUNS_H

#include "lib/Target/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Tensors of a fused kernel whose elements along one dimension of its space are neighbours in
/// memory.
struct AlignedRuns {
  AlignedRuns(const target::IterationSpace &space, unsigned along) : space(space), along(along) {}
  void addInputs(FusedKernelOpInterface op);
  void addResults(FusedKernelOpInterface op);

  /// Bytes of an element; 0 if there are none.
  int64_t widest() const;
  int64_t narrowest() const;
  /// The largest vector that is aligned in all of them wherever the dimension starts, and at
  /// multiples of `step` along it: of `most` elements, or of half as many, ... If it has one,
  /// `why` says why two are not aligned.
  int64_t points(int64_t most, int64_t step, llvm::StringRef *why = nullptr) const;

private:
  using Run = std::pair<mlir::Value, const target::Access *>;
  void add(mlir::Value tensor, const target::Access &access);
  llvm::StringRef whyApart(const Run &run, int64_t points) const;

  const target::IterationSpace &space;
  unsigned along;
  llvm::SmallVector<Run> runs;
};

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
