// The vocabulary in which kernels are written: loops, addresses, vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_KERNELEMITTER_H
#define LIB_TARGET_CPU_KERNELEMITTER_H

#include "ampc/Target/CPU/Tier.h"
#include "mlir/IR/Builders.h"

namespace ampc::cpu {

/// Builds scf, arith, vector and llvm ops at one insertion point, for one tier. Positions count
/// elements and are of type index. Vectors may be partly active: only the first `active` lanes
/// touch memory; `active` is static.
class KernelEmitter {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;

  KernelEmitter(mlir::OpBuilder &b, mlir::Location loc, const Tier &tier)
      : b(b), loc(loc), tier(tier) {}

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
  /// i64 (function arguments) to index.
  Value asIndex(Value x);

  /// A scalar or splat constant of `type` (float, integer, or vector of them).
  Value constant(Type type, double value);
  Value broadcast(Value scalar, int64_t lanes);
  static Type vectorOf(Type element, int64_t lanes);

  // Memory: `base` is an !llvm.ptr, `position` counts elements of type `element`. i1 takes a byte
  // per element.
  Value address(Value base, Type element, Value position);
  Value loadScalar(Value base, Type element, Value position);
  /// `lanes` consecutive elements, of which `active` are read (all if negative); the others are
  /// zero.
  Value loadVector(Value base, Type element, Value position, int64_t lanes, int64_t active = -1);
  /// Elements `stride` apart.
  Value loadStrided(Value base, Type element, Value position, int64_t stride, int64_t lanes,
                    int64_t active = -1);
  /// Elements at any positions; lanes past the last position are zero.
  Value loadScattered(Value base, Type element, llvm::ArrayRef<Value> positions, int64_t lanes);
  /// Scalar or vector; of a vector the first `active` lanes.
  void store(Value value, Value base, Value position, int64_t active = -1);
  void storeStrided(Value value, Value base, Value position, int64_t stride, int64_t active = -1);
  void storeScattered(Value value, Value base, llvm::ArrayRef<Value> positions);
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
  Value less(Value x, Value y);

  // Vectors.
  /// Lane numbers 0, 1, ... as i32 or i64.
  Value iota(Type element, int64_t lanes);
  /// True in the first `active` lanes.
  Value mask(int64_t lanes, int64_t active);
  /// The lanes of `x` picked from (x, y).
  Value shuffle(Value x, Value y, llvm::ArrayRef<int64_t> lanes);
  /// Transposes a square of vectors in registers; the number of rows is the number of lanes, a
  /// power of two.
  llvm::SmallVector<Value> transpose(llvm::ArrayRef<Value> rows);

  mlir::OpBuilder &b;
  mlir::Location loc;
  const Tier &tier;
};

/// Bytes of one element in memory: 16-bit floats 2, i1 one.
int64_t elementBytes(mlir::Type element);

} // namespace ampc::cpu
#endif
