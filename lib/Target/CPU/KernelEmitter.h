// The vocabulary in which kernels are written: loops of Common, and vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_KERNELEMITTER_H
#define LIB_TARGET_CPU_KERNELEMITTER_H

#include "lib/Target/CPU/Tier.h"
#include "lib/Target/Common/LoopEmitter.h"

namespace ampc::cpu {

using target::elementBytes;

/// Parts of scratch and workspaces start at cache lines.
inline int64_t alignUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// What loops over vectors need beside those over scalars, for one tier. Vectors may be partly
/// active: only the first `active` lanes touch memory; `active` is static.
class KernelEmitter : public target::LoopEmitter {
public:
  KernelEmitter(mlir::OpBuilder &b, mlir::Location loc, const Tier &tier)
      : LoopEmitter(b, loc), tier(tier) {}

  Value broadcast(Value scalar, int64_t lanes);
  static Type vectorOf(Type element, int64_t lanes);

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
  /// A whole vector, at a multiple of its size, past the caches: `finishStreams` comes before
  /// another thread reads it.
  void stream(Value vector, Value base, Value position);
  void finishStreams();
  /// Asks for the cache line of an element that is read soon, which may be outside of the tensor.
  void prefetch(Value base, Type element, Value position);

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

  const Tier &tier;
};

} // namespace ampc::cpu
#endif
