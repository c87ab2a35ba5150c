// Batch dimension of the ops of this dialect: ops that keep rows apart, and the dimension of the
// rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Program/BatchDimension.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

#include "mlir-dialects/Train/BatchDimension.cpp.inc"

int64_t ampc::commonDimension(ValueRange operands, BatchDimension dimensionOf) {
  int64_t common = -1;
  for (Value operand : operands) {
    int64_t dim = dimensionOf(operand);
    if (dim >= 0 && common >= 0 && dim != common)
      return -1;
    common = std::max(common, dim);
  }
  return common;
}

static int64_t rankOf(Value v) { return tensorOf(v).getRank(); }

// ---- One overload per op ----

/// Handled by getPlaceInOrder.
static int64_t resultOf(ReshapeOp, BatchDimension) { return -1; }

static int64_t resultOf(PadOp op, BatchDimension dimensionOf) {
  int64_t dim = dimensionOf(op.getX());
  return op.getLow()[dim] || op.getHigh()[dim] || op.getInterior()[dim] ? -1 : dim;
}

static int64_t resultOf(ConcatOp op, BatchDimension dimensionOf) {
  int64_t dim = commonDimension(op.getParts(), dimensionOf);
  return dim == op.getDim() ? -1 : dim;
}

static int64_t resultOf(ReverseOp op, BatchDimension dimensionOf) {
  int64_t dim = dimensionOf(op.getX());
  return llvm::is_contained(op.getDims(), dim) ? -1 : dim;
}

static int64_t resultOf(SplitOp op, BatchDimension dimensionOf) {
  int64_t dim = dimensionOf(op.getX());
  return dim == op.getDim() ? -1 : dim;
}

/// Leading dimensions of a batched product, or the rows of lhs.
static int64_t resultOf(MatmulOp op, BatchDimension dimensionOf) {
  int64_t l = dimensionOf(op.getLhs()), r = dimensionOf(op.getRhs()), lhs = rankOf(op.getLhs()),
          rhs = rankOf(op.getRhs()), rank = rankOf(op.getResult());
  bool isRowOfLhs = l == lhs - 2 && !op.getTransposeLhs() && r < 0;
  if (l >= lhs - 2 && !isRowOfLhs)
    return -1;
  if (r >= rhs - 2 || (r >= 0 && l >= 0 && l - lhs != r - rhs))
    return -1;
  return l >= 0 ? l + rank - lhs : r + rank - rhs;
}

static int64_t resultOf(LinearOp op, BatchDimension dimensionOf) {
  int64_t dim = dimensionOf(op.getX());
  bool areWeights =
      dimensionOf(op.getWeight()) < 0 && !(op.getBias() && dimensionOf(op.getBias()) >= 0);
  return areWeights && dim + 1 < rankOf(op.getX()) ? dim : -1;
}

/// Lookup: dimensions of the index replace the table's first dimension, [100, 8] at [4, 3] -> [4,
/// 3, 8].
template <typename Op> static int64_t resultOfRows(Op op, BatchDimension dimensionOf) {
  int64_t table = dimensionOf(op.getTable()), index = dimensionOf(op.getIndex());
  if (table < 0)
    return index;
  return table > 0 && index < 0 ? rankOf(op.getIndex()) + table - 1 : -1;
}
static int64_t resultOf(EmbeddingOp op, BatchDimension dimensionOf) {
  return resultOfRows(op, dimensionOf);
}
static int64_t resultOf(GatherOp op, BatchDimension dimensionOf) {
  return resultOfRows(op, dimensionOf);
}

static int64_t resultOf(AttentionOp op, BatchDimension dimensionOf) {
  int64_t dim = commonDimension(op.getOperands(), dimensionOf), rank = rankOf(op.getQuery());
  bool isAligned = !op.getBias() || dimensionOf(op.getBias()) < 0 || rankOf(op.getBias()) == rank;
  return dim + 2 < rank && isAligned ? dim : -1;
}

/// Reductions: every dropped dimension before the batch dimension decreases its index.
template <typename Reduction> static int64_t resultOf(Reduction op, BatchDimension dimensionOf) {
  int64_t dim = dimensionOf(op.getX());
  if (llvm::is_contained(op.getDims(), dim))
    return -1;
  return dim - llvm::count_if(op.getDims(), [&](int64_t other) { return other < dim; });
}

static int64_t product(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<>());
}

/// Batch position behind a reshape: element order and the number of outer blocks are kept. Several
/// dimensions fit a batch of 1 only: a dimension of rows alone is preferred over a dimension with
/// elements of a row, then a dimension with one block over a dimension with several. Example:
/// [4, 1, 3] with the batch in the middle -> [4, 3]: dimension 0, of 4 blocks.
static std::optional<BatchLayout> placeOfReshape(ReshapeOp op, int64_t batch, BatchLayout from) {
  ArrayRef<int64_t> to = op.getType().getShape();
  int64_t blocks = product(op.getX().getType().getShape().take_front(from.dim)) * from.outer;
  std::optional<BatchLayout> found;
  bool isExact = false;
  for (auto [dim, size] : llvm::enumerate(to)) {
    int64_t before = product(to.take_front(dim));
    if (before == 0 || blocks % before != 0 || size % (blocks / before * batch) != 0)
      continue;
    BatchLayout place{int64_t(dim), blocks / before};
    bool isRows = size == place.outer * batch;
    if (!found || isRows > isExact || (isRows == isExact && place.outer < found->outer)) {
      found = place;
      isExact = isRows;
    }
  }
  return found;
}

namespace {
template <typename Op> struct Rows : BatchDimensionOpInterface::ExternalModel<Rows<Op>, Op> {
  int64_t getBatchDimension(Operation *op, BatchDimension dimensionOf) const {
    return resultOf(cast<Op>(op), dimensionOf);
  }
  bool keepsBlocks(Operation *) const {
    return std::is_same_v<Op, LinearOp> || std::is_same_v<Op, MatmulOp>;
  }
  std::optional<BatchLayout> getPlaceInOrder(Operation *op, BatchLayout from, int64_t batch) const {
    if constexpr (std::is_same_v<Op, ReshapeOp>)
      return placeOfReshape(cast<ReshapeOp>(op), batch, from);
    return std::nullopt;
  }
};
} // namespace

template <typename... Ops> static void attach(MLIRContext *context) {
  (Ops::template attachInterface<Rows<Ops>>(*context), ...);
}

void ampc::attachBatchDimensions(MLIRContext *context) {
  attach<ReshapeOp, PadOp, ConcatOp, ReverseOp, SplitOp, MatmulOp, LinearOp, EmbeddingOp, GatherOp,
         AttentionOp, ReduceSumOp, ReduceMeanOp, ReduceMaxOp, ReduceMinOp, LogSumExpOp>(context);
}
