// A kernel put together from the code of others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_FUSION_MERGE_H
#define LIB_KERNEL_FUSION_MERGE_H

#include "lib/Kernel/Fusion/Spaces.h"
#include "mlir/IR/IRMapping.h"

namespace ampc {
class Merge {
public:
  /// The new kernel is of the kind of `kind`: same op, space, leading operands and attributes.
  explicit Merge(FusedKernelOpInterface kind);
  /// Copies the code of `op`, read at via(point); inputs in `known` are values of the new body.
  /// Returns what it yields.
  llvm::SmallVector<mlir::Value> append(
      FusedKernelOpInterface op, mlir::AffineMap via,
      const llvm::DenseMap<unsigned, mlir::Value> &known = llvm::DenseMap<unsigned, mlir::Value>());
  /// Adds a result: `value` of the body, in the place of `old`.
  void addResult(mlir::Value value, mlir::Value old, mlir::AffineMap map);
  /// Creates the kernel before `position` and lets it replace the old results. It comes from where
  /// `kind` and `other` do.
  FusedKernelOpInterface finish(mlir::Operation *position, mlir::Operation *other);

private:
  mlir::Value argumentFor(mlir::Value input, mlir::AffineMap map);

  FusedKernelOpInterface kind;
  std::unique_ptr<mlir::Region> body;
  llvm::SmallVector<mlir::Value> inputs, yields, replaced;
  llvm::SmallVector<mlir::AffineMap> maps, resultMaps;
};
} // namespace ampc
#endif
