// Vectors of neighbouring points of a fused kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_POINTVECTORS_H
#define LIB_CODEGEN_NVPTX_POINTVECTORS_H

#include "lib/Codegen/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Tensors of a fused kernel that are contiguous along a dimension of the iteration domain.
struct AlignedTensors {
  AlignedTensors(const target::IterationSpace &space, unsigned along)
      : space(space), along(along) {}
  void addInputs(FusedKernelOpInterface op);
  void addResults(FusedKernelOpInterface op);

  /// Bytes of the widest element; 0 without tensors.
  int64_t widest() const;
  int64_t narrowest() const;
  /// Largest vector that is aligned in all such tensors, in every row and at multiples of `step`
  /// along the dimension: `most` elements, half as many, ... If the result is 1, `why` says why
  /// vectors of two are not aligned.
  int64_t points(int64_t most, int64_t step, llvm::StringRef *why = nullptr) const;

private:
  using Run = std::pair<mlir::Value, const target::Access *>;
  void add(mlir::Value tensor, const target::Access &access);
  llvm::StringRef whyApart(const Run &run, int64_t points) const;

  const target::IterationSpace &space;
  unsigned along;
  llvm::SmallVector<Run> runs;
};

/// Neighbouring points along a dimension, loaded as vectors from tensors that are contiguous along
/// the dimension.
struct PointVectors {
  using Value = mlir::Value;

  /// As many points as fill 16 bytes of the widest input, at most `most`, if vectors are aligned in
  /// every row and at multiples of `step` along the dimension. Example: bf16 and f32 inputs -> 4
  /// points.
  PointVectors(FusedKernelOpInterface op, const target::IterationSpace &space, unsigned along,
               int64_t step, int64_t most = 8);

  /// Loads the inputs at `points` points, starting at `dims`; strided inputs are left to each
  /// point.
  llvm::SmallVector<target::Body::Values> read(DeviceEmitter &e, const KernelPointers &pointers,
                                               llvm::ArrayRef<Value> dims) const;
  /// Values that the body yields at the points: [result][point].
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
