// Memory layout of the rows of a map, and dependences of the stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_ROWS_ROWSHAPE_H
#define LIB_CODEGEN_NVPTX_ROWS_ROWSHAPE_H

#include "lib/Codegen/NVPTX/DeviceCode.h"
#include "llvm/ADT/SetVector.h"

namespace ampc::nvptx {

/// The last dimension of a map's iteration domain is a row. Run: a tensor that is contiguous along
/// the row. Chunk: `vector` points that are aligned in all runs. If the row length is no multiple
/// of `vector`, rows start inside a chunk, at a phase that is the same for all runs. Example:
/// length 50257, vector 4: rows start at phases 0, 1, 2, 3, 0, ...
struct RowShape {
  using Value = mlir::Value;
  using Cone = llvm::SmallSetVector<Value, 16>;

  RowShape(kernel::MapOp op, target::IterationSpace space);

  /// Whether the tensor is contiguous along the row, with the phase of the row.
  bool isContiguous(const target::Access &access) const;
  bool isContiguous(mlir::BlockArgument argument) const {
    return isContiguous(space.inputs[argument.getArgNumber()]);
  }
  /// Whether all points of a row have the same value.
  bool isUniform(Value value) const { return uniform.contains(value); }
  bool hasPhase() const;
  /// Number of points of the first chunk that belong to the row before, of type index.
  Value phase(DeviceEmitter &e, llvm::ArrayRef<Value> row) const;
  /// Whether rows consist of whole chunks.
  bool isWhole() const { return !hasPhase() && length % vector == 0; }
  int64_t rows() const { return space.count(0, last); }
  /// Outer indices of a row, by number below rows().
  llvm::SmallVector<Value> rowAt(DeviceEmitter &e, Value number) const {
    return e.split(number, llvm::ArrayRef(space.sizes).drop_back());
  }
  unsigned stages() const { return reductions.size(); }
  /// Values worth keeping, because several stages need the values: elements of runs, and functions
  /// of about twenty instructions.
  llvm::SmallVector<Value> kept() const;
  /// Whether no stage after the first stage that computes `value` needs the element of `input`, if
  /// `value` is kept.
  bool endsWith(Value input, Value value) const;

  /// Computes values that are the same for all points and known after the reductions before
  /// `stage`; adds the values to `known`.
  void defineUniform(DeviceEmitter &e, target::Body &body, llvm::ArrayRef<Value> row,
                     unsigned stage, target::Body::Values &known) const;
  /// Results with a single number per row.
  llvm::SmallVector<std::pair<unsigned, Value>> uniformResults(DeviceEmitter &e, target::Body &body,
                                                               llvm::ArrayRef<Value> row,
                                                               target::Body::Values known) const;

  kernel::MapOp op;
  target::IterationSpace space;
  unsigned last;
  int64_t length, vector = 1;
  /// By stage; results that vary along the row form a last stage.
  llvm::SmallVector<llvm::SmallVector<kernel::RowReduceOp>> reductions;
  llvm::SmallVector<Cone> cones;
  llvm::SmallVector<unsigned> varying; // indices of results that vary along the row

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
/// Whether a group of sixteen threads can hold all kept values of a row in registers.
bool fitsRowGroup(const RowShape &shape);

} // namespace ampc::nvptx
#endif
