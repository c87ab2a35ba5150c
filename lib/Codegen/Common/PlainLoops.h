// Kernels as plain loops after their definitions: points, bodies, single elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_PLAINLOOPS_H
#define LIB_CODEGEN_COMMON_PLAINLOOPS_H

#include "lib/Codegen/Common/IterationSpace.h"
#include "lib/Codegen/Common/KernelCode.h"

namespace ampc::target {

/// Execution of a kernel's points: in sequence, or each in a thread of its own.
class Points {
public:
  using Value = mlir::Value;
  using Body = llvm::function_ref<void(LoopEmitter &e, const KernelPointers &pointers,
                                       llvm::ArrayRef<Value> dims)>;
  explicit Points(bool fusesMultiplyAdd) : fusesMultiplyAdd(fusesMultiplyAdd) {}
  virtual ~Points();
  /// Runs `body` at every point of a domain, e.g. [M, N], in any order. Memory written by a call is
  /// visible to the next call; SSA values of the body are not.
  virtual void forEach(llvm::ArrayRef<int64_t> sizes, Body body) = 0;
  /// A factor of a contraction in the accumulator type, rounded by the compute mode of its side
  /// (`compute`).
  virtual Value toMode(LoopEmitter &e, mlir::Type mode, Value factor) { return factor; }

  /// Whether sums of products round once per term (FMA); otherwise products round, too.
  const bool fusesMultiplyAdd;
};

/// Points in sequence, in row-major order.
class SequentialPoints : public Points {
public:
  SequentialPoints(LoopEmitter &e, const KernelPointers &pointers)
      : Points(/*fusesMultiplyAdd=*/false), e(e), pointers(pointers) {}
  void forEach(llvm::ArrayRef<int64_t> sizes, Body body) override;

private:
  LoopEmitter &e;
  const KernelPointers &pointers;
};

/// Emitter of the body of a fused kernel, scalar by scalar.
class Body {
public:
  using Value = mlir::Value;
  using Values = llvm::DenseMap<Value, Value>;
  Body(LoopEmitter &e, FusedKernelOpInterface op, const KernelPointers &pointers)
      : Body(e, op, pointers, IterationSpace::of(op)) {}
  Body(LoopEmitter &e, FusedKernelOpInterface op, const KernelPointers &pointers,
       IterationSpace space);

  /// Value of the body at a point. Values emitted on the way are added to `known`.
  Value evaluate(Value value, llvm::ArrayRef<Value> dims, Values &known);
  /// All yielded values, before any store, because a result may share the buffer of an input.
  llvm::SmallVector<Value> yields(llvm::ArrayRef<Value> dims, Values &known);
  void store(unsigned result, Value value, llvm::ArrayRef<Value> dims);
  /// Stores all results at a point whose sum is known.
  void finish(llvm::ArrayRef<Value> dims, Value sum);

  const IterationSpace &space() const { return points; }
  mlir::Block &block() { return op.getBody().front(); }

private:
  void define(Value value, llvm::ArrayRef<Value> dims, Values &known);

  LoopEmitter &e;
  FusedKernelOpInterface op;
  llvm::SmallVector<Value> inputs, results;
  IterationSpace points;
};

// Kernels without sums across points.
void emitPlainGemm(mlir::Operation *op, Points &points);
void emitPlainConv(mlir::Operation *op, Points &points);
void emitPlainConvFilter(mlir::Operation *op, Points &points);
void emitPlainPool(mlir::Operation *op, Points &points);
void emitPlainPoolGrad(mlir::Operation *op, Points &points);
void emitPlainGather(mlir::Operation *op, Points &points);
void emitPlainSegmentSum(mlir::Operation *op, Points &points);
void emitPlainScatterRows(mlir::Operation *op, Points &points);
void emitPlainAssemble(mlir::Operation *op, Points &points);

/// A loop nest over `sizes`, in order.
void forPoints(LoopEmitter &e, llvm::ArrayRef<int64_t> sizes,
               llvm::function_ref<void(llvm::ArrayRef<mlir::Value>)> body);
/// A loop nest over `sizes` that carries a single scalar.
mlir::Value
accumulate(LoopEmitter &e, llvm::ArrayRef<int64_t> sizes, mlir::Value start,
           llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>, mlir::Value)> next);

/// sum + x * y; a single rounding if `fused`, else two.
mlir::Value multiplyAdd(LoopEmitter &e, mlir::Value sum, mlir::Value x, mlir::Value y, bool fused);
/// Widens a float, e.g. `bf16 -> f32`.
mlir::Value widen(LoopEmitter &e, mlir::Value x, mlir::Type type);
/// Rounds a float to a type that may be narrower, e.g. `f32 -> bf16`.
mlir::Value narrow(LoopEmitter &e, mlir::Value x, mlir::Type type);
/// Whether 0 <= x < limit.
mlir::Value within(LoopEmitter &e, mlir::Value x, int64_t limit);
mlir::Value equal(LoopEmitter &e, mlir::Value x, mlir::Value y);
mlir::Value both(LoopEmitter &e, mlir::Value x, mlir::Value y);
mlir::Value negate(LoopEmitter &e, mlir::Value condition);
mlir::Value select(LoopEmitter &e, mlir::Value condition, mlir::Value x, mlir::Value y);
/// Offset of element [i, j, ...] of a row-major tensor.
mlir::Value at(LoopEmitter &e, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<mlir::Value> dims);
/// Element `i` of an index tensor of i32, as an index.
mlir::Value loadIndex(LoopEmitter &e, mlir::Value base, mlir::Value i);
void storeIndex(LoopEmitter &e, mlir::Value number, mlir::Value base, mlir::Value i);
/// Row reductions of a body by stage. A reduction of stage n + 1 reads a result of stage n; stage 0
/// reads none. Example: softmax has the maximum in stage 0, the sum in stage 1.
llvm::SmallVector<llvm::SmallVector<kernel::RowReduceOp>> reductionsByStage(mlir::Block &body);

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

} // namespace ampc::target
#endif
