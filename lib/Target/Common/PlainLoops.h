// Kernels as the loops that their definitions name: points, bodies, single elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_COMMON_PLAINLOOPS_H
#define LIB_TARGET_COMMON_PLAINLOOPS_H

#include "lib/Target/Common/IterationSpace.h"
#include "lib/Target/Common/KernelCode.h"

namespace ampc::target {

/// Where the points of a kernel run: one after the other, or each in a thread of its own.
class Points {
public:
  using Value = mlir::Value;
  using Body = llvm::function_ref<void(LoopEmitter &e, const KernelPointers &pointers,
                                       llvm::ArrayRef<Value> dims)>;
  explicit Points(bool fusesMultiplyAdd) : fusesMultiplyAdd(fusesMultiplyAdd) {}
  virtual ~Points();
  /// The body at every point, in any order. What one call writes the next one may read. A value
  /// that the body makes is known nowhere else.
  virtual void forEach(llvm::ArrayRef<int64_t> sizes, Body body) = 0;
  /// A factor of a contraction, in the type of its sums, as the mode of that side has it
  /// (`compute`).
  virtual Value toMode(LoopEmitter &e, mlir::Type mode, Value factor) { return factor; }

  /// Sums of products round once per term; otherwise products round, too.
  const bool fusesMultiplyAdd;
};

/// One after the other, in row-major order.
class SequentialPoints : public Points {
public:
  SequentialPoints(LoopEmitter &e, const KernelPointers &pointers)
      : Points(/*fusesMultiplyAdd=*/false), e(e), pointers(pointers) {}
  void forEach(llvm::ArrayRef<int64_t> sizes, Body body) override;

private:
  LoopEmitter &e;
  const KernelPointers &pointers;
};

/// The body of a fused kernel, a scalar at a time.
class Body {
public:
  using Value = mlir::Value;
  using Values = llvm::DenseMap<Value, Value>;
  Body(LoopEmitter &e, FusedKernelOpInterface op, const KernelPointers &pointers)
      : Body(e, op, pointers, IterationSpace::of(op)) {}
  Body(LoopEmitter &e, FusedKernelOpInterface op, const KernelPointers &pointers,
       IterationSpace space);

  /// A value of the body at a point, given what is `known` there, to which it is added.
  Value evaluate(Value value, llvm::ArrayRef<Value> dims, Values &known);
  /// Everything that the body yields, before any of it is stored: a result may lie where an input
  /// does.
  llvm::SmallVector<Value> yields(llvm::ArrayRef<Value> dims, Values &known);
  void store(unsigned result, Value value, llvm::ArrayRef<Value> dims);
  /// All results at a point whose sum is known.
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
void emitPlainSumRows(mlir::Operation *op, Points &points);
void emitPlainPutRows(mlir::Operation *op, Points &points);
void emitPlainAssemble(mlir::Operation *op, Points &points);

/// A loop per size, in their order.
void forPoints(LoopEmitter &e, llvm::ArrayRef<int64_t> sizes,
               llvm::function_ref<void(llvm::ArrayRef<mlir::Value>)> body);
/// One number carried through a loop per size.
mlir::Value
accumulate(LoopEmitter &e, llvm::ArrayRef<int64_t> sizes, mlir::Value start,
           llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>, mlir::Value)> next);

/// sum + x * y, with one rounding or two.
mlir::Value multiplyAdd(LoopEmitter &e, mlir::Value sum, mlir::Value x, mlir::Value y, bool fused);
/// A float in a type that holds it.
mlir::Value widen(LoopEmitter &e, mlir::Value x, mlir::Type type);
/// Rounded to a type that may be narrower.
mlir::Value narrow(LoopEmitter &e, mlir::Value x, mlir::Type type);
/// 0 <= x < limit.
mlir::Value within(LoopEmitter &e, mlir::Value x, int64_t limit);
mlir::Value equal(LoopEmitter &e, mlir::Value x, mlir::Value y);
mlir::Value both(LoopEmitter &e, mlir::Value x, mlir::Value y);
mlir::Value negate(LoopEmitter &e, mlir::Value condition);
mlir::Value select(LoopEmitter &e, mlir::Value condition, mlir::Value x, mlir::Value y);
/// A sum of strides times positions: of element [i, j, ...] of a row-major tensor.
mlir::Value at(LoopEmitter &e, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<mlir::Value> dims);
/// Element `i` of an index, an i32, as a position.
mlir::Value loadIndex(LoopEmitter &e, mlir::Value base, mlir::Value i);
void storeIndex(LoopEmitter &e, mlir::Value number, mlir::Value base, mlir::Value i);
/// Reductions along the row that a body has: those of a stage wait for one of the stage before, the
/// first for none.
llvm::SmallVector<llvm::SmallVector<kernel::RowReduceOp>> reductionsByStage(mlir::Block &body);

inline mlir::RankedTensorType tensorOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

} // namespace ampc::target
#endif
