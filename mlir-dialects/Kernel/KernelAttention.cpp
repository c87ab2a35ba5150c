// Verifiers of attention and its gradient.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Kernel/LinearMap.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

namespace {
/// How many (row, column) dimensions the map of a tensor has behind the batch's.
enum Kind : unsigned { PerQuery = 1, PerElement = 2 };
} // namespace

/// Checks what both ops share; `kinds` are those of operands, then results.
template <typename Op>
static LogicalResult verifyAttention(Op op, ArrayRef<Kind> operands, ArrayRef<Kind> results) {
  Type acc = op.getAcc();
  if (op.getTensors().size() != operands.size() || op.getOuts().size() > results.size() ||
      op.getOperandMaps().size() != operands.size() ||
      op.getResultMaps().size() != op.getOuts().size())
    return op.emitOpError() << "expected " << operands.size()
                            << " tensors and one map per tensor and result, but got "
                            << op.getTensors().size() << " tensors, " << op.getOperandMaps().size()
                            << " and " << op.getResultMaps().size() << " maps";
  auto check = [&](Type tensor, Attribute attr, Kind kind) -> LogicalResult {
    auto type = cast<RankedTensorType>(tensor);
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    if (map.getNumDims() != op.getBatch().size() + kind ||
        map.getNumResults() != unsigned(type.getRank()) || !isLinear(map))
      return op.emitOpError() << "expected a linear map from " << op.getBatch().size() + kind
                              << " dimensions to " << type << ", but got " << attr;
    if (!isa<FloatType>(type.getElementType()) || !isa<FloatType>(acc) ||
        acc.getIntOrFloatBitWidth() < std::max(32u, type.getElementTypeBitWidth()))
      return op.emitOpError() << "expected an accumulator of at least "
                              << (type.getElementType().isF64() ? type.getElementType()
                                                                : Float32Type::get(op.getContext()))
                              << ", but got " << acc;
    return success();
  };
  for (auto [tensor, map, kind] : llvm::zip(op.getTensors(), op.getOperandMaps(), operands))
    if (failed(check(tensor.getType(), map, kind)))
      return failure();
  for (auto [type, map, kind] : llvm::zip(op->getResultTypes(), op.getResultMaps(), results))
    if (failed(check(type, map, kind)))
      return failure();
  return success();
}

LogicalResult AttentionOp::verify() {
  SmallVector<Kind> operands(getBiased() ? 4 : 3, PerElement);
  if (getOuts().empty())
    return emitOpError("expected a result");
  if (getOuts().size() == 2 &&
      cast<RankedTensorType>(getOuts()[1].getType()).getElementType() != getAcc())
    return emitOpError() << "expected a logsumexp in " << getAcc() << ", but got "
                         << getOuts()[1].getType();
  return verifyAttention(*this, operands, {PerElement, PerQuery});
}
LogicalResult AttentionGradOp::verify() {
  SmallVector<Kind> operands(getBiased() ? 4 : 3, PerElement);
  operands.append({PerElement, PerQuery, PerElement});
  if (getOuts().size() < 3 || (getOuts().size() == 4 && !getBiased()))
    return emitOpError() << "expected three results, and a fourth only with a bias, but got "
                         << getOuts().size();
  return verifyAttention(*this, operands, {PerElement, PerElement, PerElement, PerElement});
}
