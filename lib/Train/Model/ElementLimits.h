// Which integers the elements of tensors may be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_MODEL_ELEMENTLIMITS_H
#define LIB_TRAIN_MODEL_ELEMENTLIMITS_H

#include "mlir-dialects/Train/Signature.h"
#include "llvm/ADT/DenseMap.h"

namespace ampc {
/// Integers in [least, limit), and `ignore`; with limit 0 all.
struct Accepted {
  int64_t limit = 0, ignore = 0, least = 0;
  bool accepts(int64_t number) const {
    return !limit || (number >= least && number < limit) || number == ignore;
  }
  bool operator==(const Accepted &other) const {
    return limit == other.limit && ignore == other.ignore && least == other.least;
  }
};

/// Whether the op gives integers of its operands as they are, or in another type, and no others.
bool givesIntegers(mlir::Operation *op);

/// Limits of every element, handed from what ops give to where it comes from.
class ElementLimits {
public:
  /// What one of several ops refuses is refused.
  void tighten(mlir::Value tensor, Accepted accepted);
  /// The limits of an op's results are those of the elements that it gives.
  void passToOperands(mlir::Operation &op);
  /// Those of a row of a tensor that has `rows` of them: the shortest list that fills it. Elements
  /// whose limits are not those of every row have none, and `isSame` becomes false.
  llvm::SmallVector<train::LimitsAttr> runsOf(mlir::Value tensor, int64_t rows, bool &isSame) const;

private:
  /// One number for all elements, until some differ: a tensor may have billions of them.
  struct Numbers {
    uint32_t all = 0;
    std::vector<uint32_t> each; ///< empty: `all` holds
    uint32_t of(int64_t element) const { return each.empty() ? all : each[element]; }
  };
  std::vector<uint32_t> &eachOf(mlir::Value tensor);
  void tighten(uint32_t &place, uint32_t by);
  uint32_t numberOf(Accepted accepted);

  std::vector<Accepted> known{Accepted()}; ///< limits by number; 0: none
  llvm::DenseMap<mlir::Value, Numbers> limits;
};
} // namespace ampc
#endif
