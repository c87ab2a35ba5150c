// Builder of a fused kernel from the bodies of two kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_FUSION_MERGE_H
#define LIB_KERNEL_FUSION_MERGE_H

#include "lib/Kernel/Fusion/IterationDomain.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/IRMapping.h"

namespace ampc {
/// Provenance of merged kernels, written once for each kernel that stays. Merging n kernels pair by
/// pair would write n lists of up to n origins, of which n - 1 are lists of erased kernels.
class MergedProvenance {
public:
  /// Notes that `merged` replaces `first` and `second`; the origins of `first` come first.
  void join(mlir::Operation *merged, mlir::Operation *first, mlir::Operation *second);
  /// Tree of a kernel, for a kernel that takes its place.
  std::optional<unsigned> treeOf(mlir::Operation *op) const;
  void assign(mlir::Operation *op, unsigned tree) { trees[op] = tree; }
  /// A new op may have the address of an erased op.
  void forget(mlir::Operation *op) { trees.erase(op); }
  /// Sets locations and origins of all merged kernels.
  void write();

private:
  /// A kernel as it was before merging, or two merged kernels.
  struct Node {
    mlir::Location loc;
    llvm::SmallVector<train::OriginAttr, 2> origins;
    std::optional<std::pair<unsigned, unsigned>> parts;
  };
  unsigned nodeOf(mlir::Operation *op);

  llvm::SmallVector<Node, 0> nodes;
  llvm::DenseMap<mlir::Operation *, unsigned> trees;
};

class Merge {
public:
  /// Starts a kernel like `kind`: same op, iteration domain, leading operands and attributes.
  explicit Merge(FusedKernelOpInterface kind);
  /// Values of the new body that replace a kernel's inputs, by input number.
  using Known = llvm::DenseMap<unsigned, mlir::Value>;
  /// Clones the body of `op`, re-indexed by `via`, and returns the yielded values.
  llvm::SmallVector<mlir::Value> append(FusedKernelOpInterface op, mlir::AffineMap via,
                                        const Known &known = Known());
  /// Moves the body of `op`, re-indexed by `via`, and returns the yielded values; `op` must be
  /// erased afterwards. A chain of n kernels that are merged pair by pair costs n list splices in
  /// place of n^2 / 2 clones of ops.
  llvm::SmallVector<mlir::Value> take(FusedKernelOpInterface op, mlir::AffineMap via,
                                      const Known &known = Known());
  /// Adds a result: `value` of the body replaces `old`.
  void addResult(mlir::Value value, mlir::Value old, mlir::AffineMap map);
  /// Creates the kernel before `position`, with the provenance of `kind`, and replaces the old
  /// results.
  FusedKernelOpInterface finish(mlir::Operation *position);

private:
  mlir::Value argumentFor(mlir::Value input, mlir::AffineMap map);
  /// Values of the new body for the arguments of the op's body.
  llvm::SmallVector<mlir::Value> argumentsFor(FusedKernelOpInterface op, mlir::AffineMap via,
                                              const Known &known);

  FusedKernelOpInterface kind;
  std::unique_ptr<mlir::Region> body;
  llvm::SmallVector<mlir::Value> inputs, yields, replaced;
  llvm::SmallVector<mlir::AffineMap> maps, resultMaps;
};
} // namespace ampc
#endif
