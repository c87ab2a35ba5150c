// How the rows of a map lie in memory, and what their stages need.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_ROWS_ROWSHAPE_H
#define LIB_TARGET_NVPTX_ROWS_ROWSHAPE_H

#include "lib/Target/NVPTX/DeviceCode.h"
#include "llvm/ADT/SetVector.h"

namespace ampc::nvptx {

/// The last dimension of a map's space is its row. A run is a tensor whose neighbours along it are
/// neighbours in memory; a chunk, `vector` points whose places in all runs are aligned. Rows start
/// inside a chunk, at a phase that is the same for all runs, if their length is no multiple of it.
struct RowShape {
  using Value = mlir::Value;
  using Cone = llvm::SmallSetVector<Value, 16>;

  RowShape(kernel::MapOp op, target::IterationSpace space);

  /// Neighbours at places with this row's phase.
  bool isRun(const target::Access &access) const;
  bool isRun(mlir::BlockArgument argument) const {
    return isRun(space.inputs[argument.getArgNumber()]);
  }
  /// Whether all points of a row have the same.
  bool isUniform(Value value) const { return uniform.contains(value); }
  bool hasPhase() const;
  /// Points of the first chunk that belong to what lies before the row, of type index.
  Value phase(DeviceEmitter &e, llvm::ArrayRef<Value> row) const;
  /// Whether every point is in a chunk of the row's own.
  bool isWhole() const { return !hasPhase() && length % vector == 0; }
  int64_t rows() const { return space.count(0, last); }
  /// The row behind a number below rows().
  llvm::SmallVector<Value> rowAt(DeviceEmitter &e, Value number) const {
    return e.split(number, llvm::ArrayRef(space.sizes).drop_back());
  }
  unsigned stages() const { return reductions.size(); }
  /// Values that several stages need, and that are worth being kept: elements of runs, and what
  /// takes about twenty instructions.
  llvm::SmallVector<Value> kept() const;
  /// Whether the element of an input is no longer needed behind the first stage that computes
  /// `value`, if that is kept.
  bool endsWith(Value input, Value value) const;

  /// What is the same for all points and known after the reductions before `stage`, computed once;
  /// added to `known`.
  void defineUniform(DeviceEmitter &e, target::Body &body, llvm::ArrayRef<Value> row,
                     unsigned stage, target::Body::Values &known) const;
  /// Results that are one number per row.
  llvm::SmallVector<std::pair<unsigned, Value>> uniformResults(DeviceEmitter &e, target::Body &body,
                                                               llvm::ArrayRef<Value> row,
                                                               target::Body::Values known) const;

  kernel::MapOp op;
  target::IterationSpace space;
  unsigned last;
  int64_t length, vector = 1;
  /// By stage; the results that vary along the row follow as a stage of their own.
  llvm::SmallVector<llvm::SmallVector<kernel::RowReduceOp>> reductions;
  llvm::SmallVector<Cone> cones;
  llvm::SmallVector<unsigned> varying; // results

private:
  llvm::SmallVector<Value> rootsOf(unsigned stage) const;
  llvm::SmallVector<int64_t> residuesOf(const target::Access &access) const;
  void findUniform();
  void chooseVector();
  llvm::DenseSet<Value> uniform;
  llvm::SmallVector<int64_t> residues; // of a row's start: per outer dimension, then the constant
};

void emitRowGroups(const RowShape &shape, DeviceCode &code);
void emitRowBlocks(const RowShape &shape, DeviceCode &code);
/// Whether a group of sixteen threads holds all that it needs of a row in registers.
bool fitsRowGroup(const RowShape &shape);

} // namespace ampc::nvptx
#endif
