// Emitter of CPU kernels: the loops of Common, plus vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_KERNELEMITTER_H
#define LIB_CODEGEN_CPU_KERNELEMITTER_H

#include "lib/Codegen/CPU/Tier.h"
#include "lib/Codegen/Common/LoopEmitter.h"

namespace ampc::cpu {

using target::elementBytes;

/// Arrays in scratch and workspaces start at cache lines. Example: 100 -> 128.
inline int64_t alignUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// Adds vectors to the scalar loops, for one tier. A partly active vector touches memory with its
/// first `active` lanes only; `active` is static.
class KernelEmitter : public target::LoopEmitter {
public:
  KernelEmitter(mlir::OpBuilder &b, mlir::Location loc, const Tier &tier)
      : LoopEmitter(b, loc), tier(tier) {}

  Value broadcast(Value scalar, int64_t lanes);
  static Type vectorOf(Type element, int64_t lanes);

  /// `lanes` consecutive elements, of which `active` are read (all if negative); other lanes are
  /// zero.
  Value loadVector(Value base, Type element, Value position, int64_t lanes, int64_t active = -1);
  /// Elements `stride` apart.
  Value loadStrided(Value base, Type element, Value position, int64_t stride, int64_t lanes,
                    int64_t active = -1);
  /// Elements at arbitrary positions; lanes past the last position are zero.
  Value loadScattered(Value base, Type element, llvm::ArrayRef<Value> positions, int64_t lanes);
  /// Stores a scalar, or the first `active` lanes of a vector.
  void store(Value value, Value base, Value position, int64_t active = -1);
  void storeStrided(Value value, Value base, Value position, int64_t stride, int64_t active = -1);
  void storeScattered(Value value, Value base, llvm::ArrayRef<Value> positions);
  /// Non-temporal store of a whole vector, aligned to its size. `finishStreams` (a store fence)
  /// must come before another thread reads.
  void stream(Value vector, Value base, Value position);
  void finishStreams();
  /// Prefetches the cache line of an element, which may lie outside of the tensor.
  void prefetch(Value base, Type element, Value position);

  // Vectors.
  /// Lane numbers 0, 1, ... as i32 or i64.
  Value iota(Type element, int64_t lanes);
  /// True in the first `active` lanes.
  Value mask(int64_t lanes, int64_t active);
  /// Lanes picked by number from the concatenation (x, y).
  Value shuffle(Value x, Value y, llvm::ArrayRef<int64_t> lanes);
  /// Transposes a square of vectors in registers: as many rows as lanes, a power of two.
  llvm::SmallVector<Value> transpose(llvm::ArrayRef<Value> rows);

  const Tier &tier;
};

} // namespace ampc::cpu
#endif
