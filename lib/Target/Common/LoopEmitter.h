// The vocabulary of plain loops: positions, addresses, elements of memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_COMMON_LOOPEMITTER_H
#define LIB_TARGET_COMMON_LOOPEMITTER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace ampc::target {

/// Builds scf, arith and llvm ops at one insertion point. Positions count elements and are of type
/// index.
class LoopEmitter {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  LoopEmitter(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  // Index arithmetic; constants fold.
  Value index(int64_t value);
  Value add(Value x, Value y);
  Value add(Value x, int64_t y);
  Value sub(Value x, Value y);
  Value mul(Value x, int64_t factor);
  Value div(Value x, int64_t divisor); // of a value >= 0
  Value rem(Value x, int64_t divisor);
  Value min(Value x, Value y);
  Value max(Value x, Value y);
  Value less(Value x, Value y);
  /// i64 (function arguments) to index.
  Value asIndex(Value x);

  /// A scalar or splat constant of `type` (float, integer, or vector of them).
  Value constant(Type type, double value);

  // Memory: `base` is an !llvm.ptr, `position` counts elements of type `element`. i1 takes a byte
  // per element.
  Value address(Value base, Type element, Value position);
  Value loadScalar(Value base, Type element, Value position);
  void storeScalar(Value value, Value base, Value position);
  /// Pointer number `i` of an array of pointers.
  Value loadPointer(Value array, int64_t i);
  /// A pointer `bytes` past `base`.
  Value offset(Value base, int64_t bytes);
  Value offset(Value base, Value bytes);

  // Control.
  using LoopBody = llvm::function_ref<void(Value)>;
  using CarriedBody = llvm::function_ref<llvm::SmallVector<Value>(Value, mlir::ValueRange)>;
  /// for (i = from; i < to; i += step). A loop of one known iteration is unrolled.
  void loop(Value from, Value to, int64_t step, LoopBody body);
  llvm::SmallVector<Value> loop(Value from, Value to, int64_t step, mlir::ValueRange carried,
                                CarriedBody body);
  void when(Value condition, llvm::function_ref<void()> body);

  mlir::OpBuilder &b;
  mlir::Location loc;

protected:
  /// What lies in memory, as LLVM handles it well: i1 as a byte, 16-bit floats as integers (x86 has
  /// no vectors of them without AVX512_FP16, so shuffles, inserts and masked accesses would be
  /// taken apart).
  static Type rawType(Type element);
  /// Of a scalar or vector.
  Value toRaw(Value value);
  Value fromRaw(Value value, Type element);
};

/// Bytes of one element in memory: 16-bit floats 2, i1 one.
int64_t elementBytes(mlir::Type element);

} // namespace ampc::target
#endif
