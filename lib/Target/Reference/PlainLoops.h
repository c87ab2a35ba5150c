// Every kernel as the loops that its definition names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_REFERENCE_PLAINLOOPS_H
#define LIB_TARGET_REFERENCE_PLAINLOOPS_H

#include "lib/Target/Common/IterationSpace.h"
#include "lib/Target/Common/KernelCode.h"
#include "llvm/ADT/StringMap.h"

namespace ampc::reference {

using mlir::Type;
using mlir::Value;
using target::Access;
using target::KernelPointers;
using target::LoopEmitter;

/// How one kind of kernel is written.
struct Writer {
  void (*emit)(mlir::Operation *op, LoopEmitter &e, const KernelPointers &pointers);
  /// Of the memory of a thread; null: none.
  int64_t (*scratchBytes)(mlir::Operation *op);
};
using Writers = llvm::StringMap<Writer>;
/// Null if nothing is known of this kind of kernel.
const Writer *findWriter(mlir::Operation *op);

// Each family adds its kinds.
void addFusedWriters(Writers &writers);
void addConvWriters(Writers &writers);
void addPoolWriters(Writers &writers);
void addRowWriters(Writers &writers);
void addAttentionWriters(Writers &writers);
void addTotalsWriter(Writers &writers);

/// The body of a fused kernel at one point after the other.
class Body {
public:
  using Values = llvm::DenseMap<Value, Value>;
  Body(LoopEmitter &e, FusedKernelOpInterface op, const KernelPointers &pointers);

  /// A value of the body at a point, given what is `known` there, to which it is added.
  Value evaluate(Value value, llvm::ArrayRef<Value> dims, Values &known);
  /// Everything that the body yields, before any of it is stored: a result may lie where an input
  /// does.
  llvm::SmallVector<Value> yields(llvm::ArrayRef<Value> dims, Values &known);
  void store(unsigned result, Value value, llvm::ArrayRef<Value> dims);
  /// All results at a point whose sum is known.
  void finish(llvm::ArrayRef<Value> dims, Value sum);

  const target::IterationSpace &space() const { return points; }
  mlir::Block &block() { return op.getBody().front(); }

private:
  LoopEmitter &e;
  FusedKernelOpInterface op;
  llvm::SmallVector<Value> inputs, results;
  target::IterationSpace points;
};

/// A loop per size, in their order.
void forPoints(LoopEmitter &e, llvm::ArrayRef<int64_t> sizes,
               llvm::function_ref<void(llvm::ArrayRef<Value>)> body);
/// One number carried through a loop per size.
Value accumulate(LoopEmitter &e, llvm::ArrayRef<int64_t> sizes, Value start,
                 llvm::function_ref<Value(llvm::ArrayRef<Value>, Value)> next);

/// sum + x * y, with two roundings.
Value multiplyAdd(LoopEmitter &e, Value sum, Value x, Value y);
/// A float in a type that holds it.
Value widen(LoopEmitter &e, Value x, Type type);
/// Rounded to a type that may be narrower.
Value narrow(LoopEmitter &e, Value x, Type type);
/// 0 <= x < limit.
Value within(LoopEmitter &e, Value x, int64_t limit);
Value equal(LoopEmitter &e, Value x, Value y);
Value both(LoopEmitter &e, Value x, Value y);
Value select(LoopEmitter &e, Value condition, Value x, Value y);
/// A sum of strides times positions: of element [i, j, ...] of a row-major tensor.
Value at(LoopEmitter &e, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<Value> dims);

inline mlir::RankedTensorType tensorOf(Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

} // namespace ampc::reference
#endif
