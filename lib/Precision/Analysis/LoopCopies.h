// Copies of values at the boundaries of loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_LOOPCOPIES_H
#define LIB_PRECISION_ANALYSIS_LOOPCOPIES_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// A value that a round passes on or keeps has copies: the carried argument of the next round, the
/// loop's result, the stack of all rounds, and the row of the stack in another loop. The copies
/// have the type of the source. Example: of %n in `train.scan carry %h = %h0 { ... train.next %n
/// each %n }` copies are %h and both results. The init %h0 is a value of its own, which is cast in
/// front of the loop.
class LoopCopies {
public:
  explicit LoopCopies(train::FuncOp func);
  /// The value that `v` is a copy of; `v` itself for other values. A parameter or constant that a
  /// round passes on is no source: the copy, which has one type, stands for itself.
  mlir::Value sourceOf(mlir::Value v) const {
    auto found = sources.find(v);
    return found == sources.end() ? v : found->second;
  }
  /// All copies, in program order.
  llvm::ArrayRef<mlir::Value> all() const { return copies; }
  /// Copies of a source.
  llvm::ArrayRef<mlir::Value> of(mlir::Value source) const {
    auto found = bySource.find(source);
    return found == bySource.end() ? llvm::ArrayRef<mlir::Value>() : llvm::ArrayRef(found->second);
  }

private:
  void add(mlir::Value v);
  mlir::Value representativeOf(llvm::ArrayRef<mlir::Value> cycle) const;

  llvm::DenseMap<mlir::Value, mlir::Value> sources;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> bySource;
  llvm::SmallVector<mlir::Value> copies;
  llvm::DenseMap<mlir::Value, unsigned> order; ///< of carried arguments
};

/// Whether the value is the carried argument of a loop's block.
bool isCarriedArgument(mlir::Value v);
/// Whether the value is a row of a sequence in a loop's block.
bool isRow(mlir::Value v);
} // namespace ampc
#endif
