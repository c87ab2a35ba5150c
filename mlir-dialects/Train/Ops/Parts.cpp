// Whole-batch numbers in the function of one micro-batch, and linear ops through which partial sums
// pass.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/ParseScope.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

#include "mlir-dialects/Train/Summands.cpp.inc"

double CountOp::getNumber(int64_t parts) {
  double count = double(parts);
  for (int64_t dim : getDims())
    count *= double(getX().getType().getDimSize(dim));
  return getReciprocal() ? 1.0 / count : count;
}

SmallVector<Value> CountOp::decompose(GradBuilder &b) { return {b.real(getNumber(), getType())}; }

// ---- Elements that differ ----

uint64_t ampc::allDimensions(Value value) {
  return llvm::maskTrailingOnes<uint64_t>(std::min<int64_t>(64, tensorOf(value).getRank()));
}

/// Rows of a product with a matrix differ as the rows of the left side: equal rows of states, such
/// as zeros, have equal rows of products. Null for other ops.
static std::optional<uint64_t> variesOfProduct(OpResult result,
                                               llvm::function_ref<uint64_t(Value)> variesOf) {
  Operation *op = result.getOwner();
  auto matmul = dyn_cast<MatmulOp>(op);
  if (!isa<LinearOp>(op) && !(matmul && !matmul.getTransposeLhs()))
    return std::nullopt;
  int64_t rank = tensorOf(result).getRank();
  if (rank < 1 || tensorOf(op->getOperand(0)).getRank() != rank ||
      tensorOf(op->getOperand(1)).getRank() != 2)
    return std::nullopt;
  uint64_t columns = uint64_t(1) << (rank - 1);
  return variesOf(op->getOperand(0)) | columns;
}

uint64_t ampc::variesAlong(OpResult result, llvm::function_ref<uint64_t(Value)> variesOf) {
  Operation *op = result.getOwner();
  int64_t rank = tensorOf(result).getRank();
  if (isa<RandomOpInterface>(op))
    return 0;
  if (DenseElementsAttr elements; matchPattern(op, m_Constant(&elements)))
    return elements.isSplat() ? 0 : allDimensions(result);
  if (auto iota = dyn_cast<IotaOp>(op))
    return uint64_t(1) << iota.getDim();
  if (std::optional<uint64_t> dims = variesOfProduct(result, variesOf))
    return *dims;
  bool broadcasts = isa<BroadcastToOp, ScalarOpInterface>(op);
  uint64_t along = 0;
  for (Value operand : op->getOperands()) {
    int64_t ahead = rank - tensorOf(operand).getRank(); // broadcasting aligns the last dimensions
    if (uint64_t dims = variesOf(operand))
      along |= broadcasts && ahead >= 0 ? dims << ahead : allDimensions(result);
  }
  return along;
}

// ---- Linear ops ----

/// Summand of a product: one factor, the other factor being equal in all parts.
static bool isSummand(MulOp, unsigned index, unsigned other) { return index == other; }
static bool isSummand(DivOp, unsigned index, unsigned other) { return index == 0 && other == 0; }
static bool isSummand(SelectOp, unsigned index, unsigned other) { return index > 0 && other > 0; }
/// Casts to integers and truth values are not linear.
static bool isSummand(CastOp op, unsigned, unsigned) {
  return isa<FloatType>(op.getType().getElementType());
}
/// Summands are all operands: terms of a sum, or moved elements.
template <typename Op> static bool isSummand(Op, unsigned, unsigned) { return true; }

namespace {
template <typename Op> struct Linear : SummandsOpInterface::ExternalModel<Linear<Op>, Op> {
  bool isSummandWith(Operation *op, unsigned index, unsigned other) const {
    return isSummand(cast<Op>(op), index, other);
  }
};
} // namespace

namespace {
/// Statistics of batch norm: every operand but the rows, the gain and the bias.
struct Statistics : StatisticsOpInterface::ExternalModel<Statistics, BatchNormalizeOp> {
  bool isStatistic(Operation *op, unsigned index) const {
    auto norm = cast<BatchNormalizeOp>(op);
    return index != 0 && op->getOperand(index) != norm.getGamma() &&
           op->getOperand(index) != norm.getBeta();
  }
};
} // namespace

template <typename... Ops> static void attach(MLIRContext *context) {
  (Ops::template attachInterface<Linear<Ops>>(*context), ...);
}

void ampc::attachSummands(MLIRContext *context) {
  attach<AddOp, SubOp, NegOp, MulOp, DivOp, SelectOp, CastOp, ReduceSumOp, StopGradientOp,
         ReshapeOp, TransposeOp, BroadcastToOp, SliceOp, ConcatOp>(context);
  BatchNormalizeOp::attachInterface<Statistics>(*context);
}

// ---- Ranks ----

/// [64] of 8 ranks -> [8, 64].
LogicalResult GatherRanksOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                              SmallVectorImpl<Type> &types) {
  if (a.getRanks() < 1)
    return emitOptionalError(loc, "expected 1 rank or more, but got ", a.getRanks());
  RankedTensorType x = tensorOf(a.getX());
  SmallVector<int64_t> shape{a.getRanks()};
  llvm::append_range(shape, x.getShape());
  types.push_back(x.clone(shape));
  return success();
}

#define GET_OP_CLASSES
#include "mlir-dialects/Train/PartsOps.cpp.inc"

void ampc::registerPartOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TrainDialect *dialect) {
    addRecordedOperations<CountOp, TotalOp, ShareOp, SumRanksOp, GatherRanksOp, RankOp>(*dialect);
  });
}
