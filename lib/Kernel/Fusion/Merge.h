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
  /// Values of the new body that take the place of a kernel's inputs, by the inputs' numbers.
  using Known = llvm::DenseMap<unsigned, mlir::Value>;
  /// Copies the code of `op`, read at via(point), and returns the values that it yields.
  llvm::SmallVector<mlir::Value> append(FusedKernelOpInterface op, mlir::AffineMap via,
                                        const Known &known = Known());
  /// Moves the code of `op`, which must be erased afterwards, and returns the values that it
  /// yields. A chain of n kernels that are merged one by one costs n moves of a list in place of
  /// n^2 / 2 copies of ops.
  llvm::SmallVector<mlir::Value> take(FusedKernelOpInterface op, mlir::AffineMap via,
                                      const Known &known = Known());
  /// Adds a result: `value` of the body, in the place of `old`.
  void addResult(mlir::Value value, mlir::Value old, mlir::AffineMap map);
  /// Creates the kernel before `position` and lets it replace the old results. It comes from where
  /// `kind` and `other` do.
  FusedKernelOpInterface finish(mlir::Operation *position, mlir::Operation *other);

private:
  mlir::Value argumentFor(mlir::Value input, mlir::AffineMap map);
  /// The values of the new body that the arguments of op's body become.
  llvm::SmallVector<mlir::Value> argumentsFor(FusedKernelOpInterface op, mlir::AffineMap via,
                                              const Known &known);

  FusedKernelOpInterface kind;
  std::unique_ptr<mlir::Region> body;
  llvm::SmallVector<mlir::Value> inputs, yields, replaced;
  llvm::SmallVector<mlir::AffineMap> maps, resultMaps;
};
} // namespace ampc
#endif
