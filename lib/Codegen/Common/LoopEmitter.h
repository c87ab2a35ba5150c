// Builder of plain loops: element offsets, addresses, loads and stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_LOOPEMITTER_H
#define LIB_CODEGEN_COMMON_LOOPEMITTER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace ampc::target {

/// Builds scf, arith and llvm ops at an insertion point. Positions count elements and have type
/// index.
class LoopEmitter {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  LoopEmitter(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  // Integer arithmetic: operands and result have the type of `x`, index or an integer type.
  // Example: positions are of type index, thread numbers of GPUs are i32. Constants fold.
  Value index(int64_t value);
  /// Constant of type index or of an integer type.
  Value integer(Type type, int64_t value);
  /// First constant beyond 32 bits that was requested as an i32; such code is wrong, and the target
  /// refuses the kernel.
  std::optional<int64_t> beyond32;
  Value add(Value x, Value y);
  Value add(Value x, int64_t y);
  Value sub(Value x, Value y);
  Value mul(Value x, int64_t factor);
  Value div(Value x, int64_t divisor); // of a value >= 0
  Value rem(Value x, int64_t divisor);
  Value min(Value x, Value y);
  Value max(Value x, Value y);
  Value less(Value x, Value y);
  /// Casts `i64 -> index`, e.g. function arguments.
  Value asIndex(Value x);

  /// Constant of `type`: a float, an integer, or a splat vector of floats or integers.
  Value constant(Type type, double value);

  // Memory: `base` is an !llvm.ptr, `position` counts elements of type `element`. An i1 takes a
  // byte.
  Value address(Value base, Type element, Value position);
  Value loadScalar(Value base, Type element, Value position);
  void storeScalar(Value value, Value base, Value position);
  /// Loads pointer number `i` of an array of pointers.
  Value loadPointer(Value array, int64_t i);
  /// The pointer `base` + `bytes`.
  Value offset(Value base, int64_t bytes);
  Value offset(Value base, Value bytes);

  // Control flow.
  using LoopBody = llvm::function_ref<void(Value)>;
  using CarriedBody = llvm::function_ref<llvm::SmallVector<Value>(Value, mlir::ValueRange)>;
  /// for (i = from; i < to; i += step). A loop of a single known iteration is unrolled.
  void loop(Value from, Value to, int64_t step, LoopBody body);
  llvm::SmallVector<Value> loop(Value from, Value to, int64_t step, mlir::ValueRange carried,
                                CarriedBody body);
  void when(Value condition, llvm::function_ref<void()> body);

  mlir::OpBuilder &b;
  mlir::Location loc;

protected:
  /// Type in memory: i1 as a byte, 16-bit floats as integers, because x86 without AVX512_FP16 has
  /// no vectors of 16-bit floats, so that LLVM would scalarize shuffles, inserts and masked
  /// accesses.
  static Type rawType(Type element);
  /// Casts a scalar or vector to its type in memory.
  Value toRaw(Value value);
  Value fromRaw(Value value, Type element);
};

/// Bytes of an element in memory: 2 for 16-bit floats, 1 for i1.
int64_t elementBytes(mlir::Type element);

} // namespace ampc::target
#endif
