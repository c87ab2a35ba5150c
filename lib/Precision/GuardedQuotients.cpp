// Guards cotangents of divisions whose divisor has a small lower bound.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/GuardedQuotients.h"
#include "lib/Precision/Ranges.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

/// Value of a splat constant.
static std::optional<double> numberOf(Value v) {
  DenseFPElementsAttr elements;
  if (!matchPattern(v, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<APFloat>().convertToDouble();
}

/// Smallest value of a divisor built from a length and a constant: c for max(|x|, c), clamp(|x|, c,
/// ...) and |x| + c. Computed as the range of the op with all other operands taken as lengths, from
/// 0 to the largest f32.
static std::optional<double> guardOf(Value divisor) {
  Operation *op = divisor.getDefiningOp();
  while (op && movesOnly(op))
    op = op->getOperand(0).getDefiningOp();
  auto precision = dyn_cast_or_null<PrecisionOpInterface>(op);
  if (!precision || op->getNumResults() != 1)
    return std::nullopt;
  ampc::Range range = precision.getRange(0, [&](unsigned i) -> ampc::Range {
    if (std::optional<double> number = numberOf(op->getOperand(i)))
      return Interval{*number, *number};
    return Interval{0, largestOf(Float32Type::get(op->getContext()))};
  });
  return range ? std::optional(range->low) : std::nullopt;
}

/// Divisor of a quotient of two values, or null.
static Value divisorOf(Operation *op) {
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  if (!precision || op->getNumOperands() != 2 || op->getNumResults() != 1 ||
      precision.getConditioning(0) == Conditioning::Singular ||
      precision.getConditioning(1) != Conditioning::Singular)
    return {};
  return op->getOperand(1);
}

/// Whether the op may produce f16: by the type of the op's region, else of the whole program.
static bool mayBeHalf(Operation *op, Type low) {
  train::OriginAttr origin = originOf(op);
  auto region = dyn_cast_or_null<TypeAttr>(origin ? origin.getRegion() : Attribute());
  return (region ? region.getValue() : low).isF16();
}

void ampc::guardQuotients(train::FuncOp func, Type low) {
  func.getBody().walk([&](Operation *op) {
    Value divisor = divisorOf(op);
    if (!divisor || stageOf(op) != train::Stage::Backward ||
        !getElementTypeOrSelf(op->getResult(0)).isF32() || !mayBeHalf(op, low))
      return;
    std::optional<double> guard = guardOf(divisor);
    if (!guard || !(*guard > 0) || !(1 / *guard > largestOf(Float16Type::get(func.getContext()))))
      return;
    OpBuilder builder(func.getContext());
    builder.setInsertionPointAfter(op);
    GradBuilder b(builder, op);
    Value result = op->getResult(0);
    Value isAbove = b.greater(b.op<train::AbsOp>(divisor), b.real(*guard, divisor));
    Value guarded = b.select(isAbove, result, b.real(0.0, result));
    result.replaceAllUsesExcept(guarded, guarded.getDefiningOp());
  });
}
