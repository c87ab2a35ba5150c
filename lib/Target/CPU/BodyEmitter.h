// Evaluates the scalar body of a fused kernel on vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_BODYEMITTER_H
#define LIB_TARGET_CPU_BODYEMITTER_H

#include "lib/Target/CPU/KernelTemplate.h"
#include "lib/Target/Common/IterationSpace.h"

namespace ampc::cpu {

using target::Access;
using target::IterationSpace;

/// A run of points along one dimension of the space.
struct Run {
  llvm::SmallVector<mlir::Value> dims; // of the first point, of type index
  unsigned along = 0;                  // the dimension of the lanes
  int64_t lanes = 1;                   // 1: scalars
  int64_t active = 1;                  // lanes that exist
};

/// Emits the body of `op` at runs of points. Values that do not depend on the lanes are scalars
/// until an op mixes them with vectors. Values found at an outer level (see `pin`) are not computed
/// again.
class BodyEmitter {
public:
  using Values = llvm::DenseMap<mlir::Value, mlir::Value>;

  BodyEmitter(KernelEmitter &e, FusedKernelOpInterface op, const KernelPointers &pointers)
      : BodyEmitter(e, op, pointers, IterationSpace::of(op)) {}
  BodyEmitter(KernelEmitter &e, FusedKernelOpInterface op, const KernelPointers &pointers,
              IterationSpace space);

  /// Computes now every body value that depends on none of the dimensions in `varying` (a bit per
  /// dimension); `run` gives the others. Call it before a loop over `varying`: LLVM cannot hoist
  /// loads past stores that may alias.
  void pin(const Run &run, uint64_t varying);
  /// The same as vectors of run.lanes, for loops whose every run has the lanes of this one.
  void pinVectors(const Run &run, uint64_t varying);
  /// Says what a body value is, until released.
  void define(mlir::Value bodyValue, mlir::Value known);
  /// Whether it was pinned or defined: then `evaluate` gives that, and adds nothing to `done`.
  bool isKnown(mlir::Value bodyValue) const { return pinned.contains(bodyValue); }
  /// Pins and definitions after `mark` are forgotten; call it where a loop body ends.
  size_t mark() const { return order.size(); }
  void release(size_t mark);
  /// Forgets them and returns them, for `evaluate` to begin with at other places in the code.
  Values take(size_t mark);

  /// The value of a body value: a vector of run.lanes if it depends on the lanes, else maybe a
  /// scalar.
  mlir::Value evaluate(mlir::Value bodyValue, const Run &run, Values &done);
  /// The same, always a vector if run.lanes > 1.
  mlir::Value evaluateVector(mlir::Value bodyValue, const Run &run, Values &done);
  /// Evaluates and stores all results, given the values of the leading arguments (accumulators):
  /// what a contraction calls on its sums.
  void emitResults(const Run &run, mlir::ValueRange leading);
  /// Asks for what the body reads at `count` points along run.along and that no other row reads, of
  /// tensors of `least` bytes and more.
  void prefetch(const Run &run, int64_t count, int64_t least);
  /// From now on whole vectors of results go past the caches: they are aligned, and nothing reads
  /// them before caches have lost them.
  void streamResults() { streams = true; }
  /// Stores result `k` at the run.
  void storeResult(unsigned k, mlir::Value value, const Run &run);

  /// From now on result `k` is stored at this pointer, with these strides per dimension.
  void redirectResult(unsigned k, mlir::Value pointer, llvm::ArrayRef<int64_t> strides);

  /// Of elements that someone else stores: tells the totals.
  void addToTotals(unsigned k, mlir::Value value, int64_t active);

  /// Dimensions of the space that a body value depends on, a bit each.
  uint64_t dependence(mlir::Value bodyValue);
  const IterationSpace &space() const { return points; }
  mlir::Value inputPointer(unsigned i) const { return inputs[i]; }
  mlir::Value resultPointer(unsigned k) const { return results[k]; }
  mlir::Block &body() { return op.getBody().front(); }
  /// Lanes of a full vector: as many as fit of the widest type computed with, at least 32 bits.
  int64_t lanes() const { return width; }
  static int64_t lanesFor(FusedKernelOpInterface op, const Tier &tier);

private:
  void pinReady(const Run &run, uint64_t varying);
  mlir::Value read(unsigned input, const Run &run);
  llvm::SmallVector<mlir::Value> scattered(const Access &access, const Run &run);
  mlir::Value rowIndex(const Run &run);
  mlir::Value linearIndex(const Run &run);
  /// Null: not known yet.
  mlir::Value knownAt(mlir::Value bodyValue, const Run &run, const Values &done);
  /// Adds a value whose sources are known to `done`.
  void compute(mlir::Value bodyValue, const Run &run, Values &done);
  uint64_t ownDependence(mlir::Value bodyValue) const;

  KernelEmitter &e;
  FusedKernelOpInterface op;
  llvm::SmallVector<mlir::Value> inputs, results; // of what the body reads by element and writes
  Totals *totals;
  IterationSpace points;
  llvm::DenseMap<mlir::Value, uint64_t> dependences;
  Values pinned;
  llvm::SmallVector<mlir::Value> order; // keys of `pinned` in the order of their definition
  int64_t width;
  bool streams = false;
};

/// Creates an op of a body again, on operands of which some may be vectors of `lanes`; `values`
/// gets its results.
void emitOnVectors(KernelEmitter &e, mlir::Operation *def, llvm::ArrayRef<mlir::Value> operands,
                   int64_t lanes, BodyEmitter::Values &values);

} // namespace ampc::cpu
#endif
