// Evaluates the scalar body of a fused kernel on vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_BODYEMITTER_H
#define LIB_CODEGEN_CPU_BODYEMITTER_H

#include "lib/Codegen/CPU/CPUKernelLowering.h"
#include "lib/Codegen/Common/IterationSpace.h"

namespace ampc::cpu {

using target::Access;
using target::IterationSpace;

/// Consecutive points along one dimension of the iteration domain: the lanes of a vector. Example:
/// row 3, columns 16 to 31.
struct PointVector {
  llvm::SmallVector<mlir::Value> dims; // index of the first point
  unsigned along = 0;                  // the dimension of the lanes
  int64_t lanes = 1;                   // 1: scalars
  int64_t active = 1;                  // lanes inside the domain
};

/// Emits the body of `op` at vectors of points. Values that do not depend on the lanes stay scalar
/// until an op combines them with vectors. Values pinned at an outer loop (see `pin`) are not
/// computed again. Example: x[m, n] * s[m] at 16 lanes of n -> vector load, scalar load, broadcast,
/// multiply.
class BodyEmitter {
public:
  using Values = llvm::DenseMap<mlir::Value, mlir::Value>;

  BodyEmitter(KernelEmitter &e, FusedKernelOpInterface op, const KernelPointers &pointers)
      : BodyEmitter(e, op, pointers, IterationSpace::of(op)) {}
  BodyEmitter(KernelEmitter &e, FusedKernelOpInterface op, const KernelPointers &pointers,
              IterationSpace space);

  /// Computes every body value that depends on none of the dimensions in `varying` (a bit per
  /// dimension) at the indices of `run`. Meant for the point before a loop over `varying`: LLVM
  /// cannot hoist loads past stores that may alias.
  void pin(const PointVector &run, uint64_t varying);
  /// Like `pin`, but as vectors of run.lanes, for loops whose iterations all have these lanes.
  void pinVectors(const PointVector &run, uint64_t varying);
  /// Binds a body value to `known` until the release.
  void define(mlir::Value bodyValue, mlir::Value known);
  /// Whether a body value is pinned or defined: `evaluate` then returns that and adds nothing to
  /// `done`.
  bool isKnown(mlir::Value bodyValue) const { return pinned.contains(bodyValue); }
  /// Scope of pins and definitions: `release` drops all made after `mark`, at the end of a loop
  /// body.
  size_t mark() const { return order.size(); }
  void release(size_t mark);
  /// Like `release`, but returns the dropped values, as the initial `done` of later evaluations.
  Values take(size_t mark);

  /// Value of a body value at the run: a vector of run.lanes if it depends on the lanes, else
  /// possibly a scalar.
  mlir::Value evaluate(mlir::Value bodyValue, const PointVector &run, Values &done);
  /// Like `evaluate`, but always a vector if run.lanes > 1.
  mlir::Value evaluateVector(mlir::Value bodyValue, const PointVector &run, Values &done);
  /// Evaluates and stores all results, given the leading arguments (accumulators): the epilogue of
  /// a contraction.
  void emitResults(const PointVector &run, mlir::ValueRange leading);
  /// Prefetches the inputs of `count` points along run.along that no other row shares, for tensors
  /// of at least `least` bytes.
  void prefetch(const PointVector &run, int64_t count, int64_t least);
  /// Non-temporal stores for whole vectors of results from now on. Results must be aligned, and
  /// large enough to leave the caches before their consumer runs.
  void streamResults() { streams = true; }
  /// Stores result `k` at the run.
  void storeResult(unsigned k, mlir::Value value, const PointVector &run);

  /// Stores result `k` from now on at this pointer, with these strides per dimension.
  void redirectResult(unsigned k, mlir::Value pointer, llvm::ArrayRef<int64_t> strides);

  /// Adds elements stored by another emitter to the fused reductions.
  void addToReductions(unsigned k, mlir::Value value, int64_t active);

  /// Dimensions of the domain that a body value depends on, as a bit mask.
  uint64_t dependence(mlir::Value bodyValue);
  const IterationSpace &space() const { return points; }
  mlir::Value inputPointer(unsigned i) const { return inputs[i]; }
  mlir::Value resultPointer(unsigned k) const { return results[k]; }
  mlir::Block &body() { return op.getBody().front(); }
  /// Lanes of a full vector: vector bits over the widest element type of the body, at least 32
  /// bits. Example: AVX-512 with f32 -> 16, with f64 -> 8.
  int64_t lanes() const { return width; }
  static int64_t lanesFor(FusedKernelOpInterface op, const Tier &tier);

private:
  void pinReady(const PointVector &run, uint64_t varying);
  mlir::Value read(unsigned input, const PointVector &run);
  llvm::SmallVector<mlir::Value> scattered(const Access &access, const PointVector &run);
  mlir::Value rowIndex(const PointVector &run);
  mlir::Value linearIndex(const PointVector &run);
  /// Null if not computed yet.
  mlir::Value knownAt(mlir::Value bodyValue, const PointVector &run, const Values &done);
  /// Adds a value whose sources are known to `done`.
  void compute(mlir::Value bodyValue, const PointVector &run, Values &done);
  uint64_t ownDependence(mlir::Value bodyValue) const;

  KernelEmitter &e;
  FusedKernelOpInterface op;
  llvm::SmallVector<mlir::Value> inputs, results; // elementwise inputs and results
  FusedReductions *reductions;
  IterationSpace points;
  llvm::DenseMap<mlir::Value, uint64_t> dependences;
  Values pinned;
  llvm::SmallVector<mlir::Value> order; // keys of `pinned` in the order of their definition
  int64_t width;
  bool streams = false;
};

/// Re-creates a body op on operands that may be vectors of `lanes`; its results go to `values`.
void emitOnVectors(KernelEmitter &e, mlir::Operation *def, llvm::ArrayRef<mlir::Value> operands,
                   int64_t lanes, BodyEmitter::Values &values);

} // namespace ampc::cpu
#endif
