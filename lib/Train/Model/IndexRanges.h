// Analysis of accepted integers per tensor element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_MODEL_INDEXRANGES_H
#define LIB_TRAIN_MODEL_INDEXRANGES_H

#include "mlir-dialects/Train/Program/Signature.h"
#include "llvm/ADT/DenseMap.h"

namespace ampc {
/// Integers in [least, limit), and `ignore`; all integers if limit is 0.
struct IndexRange {
  int64_t limit = 0, ignore = 0, least = 0;
  bool accepts(int64_t number) const {
    return !limit || (number >= least && number < limit) || number == ignore;
  }
  bool operator==(const IndexRange &other) const {
    return limit == other.limit && ignore == other.ignore && least == other.least;
  }
};

/// Whether the results of the op are integers of the operands, moved or in another type, and no
/// other numbers.
bool givesIntegers(mlir::Operation *op);

/// Limits of every element, propagated from results to operands.
class IndexRanges {
public:
  /// Intersects the limits of the tensor with `accepted`.
  void tighten(mlir::Value tensor, IndexRange accepted);
  /// Intersects the limits of operand elements with the limits of the result elements they become.
  void passToOperands(mlir::Operation &op);
  /// Intersects the limits of `from` with the limits of `to`, where `from` goes to `to` in a loop:
  /// as it is, row by row, or as a row of all rounds. Element j of the larger tensor is element j
  /// modulo n of the other. Returns whether limits have changed.
  bool passBack(mlir::Value to, mlir::Value from);
  /// Limits of a row of a tensor of `rows` rows, as the shortest list of runs whose repetition
  /// fills the row. Elements whose limits differ between rows have no limits, and `isSame` becomes
  /// false.
  llvm::SmallVector<train::LimitsAttr> runsOf(mlir::Value tensor, int64_t rows, bool &isSame) const;

private:
  /// A single number for all elements until some differ: a tensor may have billions of elements.
  struct Numbers {
    uint32_t all = 0;
    std::vector<uint32_t> each; ///< empty: `all` holds
    uint32_t of(int64_t element) const { return each.empty() ? all : each[element]; }
    bool operator==(const Numbers &other) const { return all == other.all && each == other.each; }
  };
  std::vector<uint32_t> &eachOf(mlir::Value tensor);
  void tighten(uint32_t &place, uint32_t by);
  uint32_t numberOf(IndexRange accepted);

  std::vector<IndexRange> known{IndexRange()}; ///< limits by number; 0: none
  llvm::DenseMap<mlir::Value, Numbers> limits;
};
} // namespace ampc
#endif
