// Leaves of a pairwise summation tree, in scratch memory of a thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_REFERENCE_TREENUMBERS_H
#define LIB_CODEGEN_REFERENCE_TREENUMBERS_H

#include "lib/Codegen/Common/SumOrder.h"

namespace ampc::reference {

/// `count` numbers of equal type. `add` reduces in place to number 0: sum, maximum or minimum.
class TreeNumbers {
public:
  using Value = mlir::Value;
  TreeNumbers(target::LoopEmitter &e, kernel::Combine kind, mlir::Type type, Value base,
              int64_t count)
      : e(e), kind(kind), type(type), base(base), count(count) {}
  static int64_t bytes(int64_t count) { return llvm::alignTo(count * int64_t(sizeof(double)), 64); }

  int64_t size() const { return count; }
  void store(Value number, Value i) { e.storeScalar(number, base, i); }
  Value load(Value i) { return e.loadScalar(base, type, i); }
  /// Reduces level by level in the order of target::order.
  Value add() {
    target::forLevels(count, [&](int64_t half, int64_t pairs) {
      e.loop(e.index(0), e.index(pairs), 1,
             [&](Value i) { store(target::combine(e, kind, load(i), load(e.add(i, half))), i); });
    });
    return load(e.index(0));
  }

private:
  target::LoopEmitter &e;
  kernel::Combine kind;
  mlir::Type type;
  Value base;
  int64_t count;
};

} // namespace ampc::reference
#endif
