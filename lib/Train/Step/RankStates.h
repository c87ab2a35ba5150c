// State that rows change, such as running statistics of batch norm, on several ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_STEP_RANKSTATES_H
#define LIB_TRAIN_STEP_RANKSTATES_H

#include "mlir-dialects/Train/Build/GradBuilder.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
/// New values of state that micro-batches change in turn. A chain of ops updates the state from
/// values of rows, its sources:
///   %mean = mean of the rows                 a source, [64]
///   %new  = 0.9 * @running + 0.1 * %mean     the chain
/// Every rank gathers the sources of all ranks, [ranks, 64], and runs the chain once per part of
/// the whole batch, in the order of parts: the state stays equal on all ranks.
class RankStates {
public:
  /// `ofRows`: values that differ between parts. `written`: state by result number, of which the
  /// new value depends on rows.
  RankStates(train::FuncOp func, const llvm::DenseSet<Value> &ofRows,
             llvm::ArrayRef<unsigned> written, int64_t ranks);
  /// Error if the chain has random ops, or feeds anything but the state.
  llvm::LogicalResult find();
  bool isInChain(mlir::Operation *op) const { return chain.contains(op); }
  /// Appends gathers and chains to the end of the block; `states` gets the new values.
  /// `parts`: values of each part of this rank, its sources included. `validRows`: per part; empty:
  /// all parts are full.
  void append(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::IRMapping> parts,
              llvm::ArrayRef<Value> validRows, llvm::StringMap<Value> &states);

private:
  /// A value of all parts of all ranks: elements [offset, offset + size) of each row of `rows`.
  struct Gathered {
    Value rows;
    int64_t offset = 0;
  };
  mlir::InFlightDiagnostic refuse(mlir::Operation *op, mlir::StringAttr state);
  llvm::LogicalResult follow(Value value, mlir::StringAttr state);
  void findSources();
  void gather(mlir::OpBuilder &builder, llvm::ArrayRef<Value> values);
  Value of(mlir::OpBuilder &builder, int64_t rank, Value value);
  void appendPart(mlir::OpBuilder &builder, const mlir::IRMapping &local, int64_t rank,
                  int64_t part, Value valid, llvm::StringMap<Value> &states);

  train::FuncOp func;
  Signature signature;
  mlir::Block &body;
  const llvm::DenseSet<Value> &ofRows;
  llvm::SmallVector<unsigned> written;
  int64_t ranks;
  llvm::DenseSet<mlir::Operation *> chain;
  llvm::SmallVector<mlir::Operation *> ordered; ///< the chain, as in the block
  llvm::SetVector<Value> sources;
  llvm::DenseMap<Value, Gathered> gathered; ///< by the value of this rank
};
} // namespace ampc
#endif
