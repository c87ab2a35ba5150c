// Reduction of losses per row or element to one number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/LossReduction.h"
#include "mlir-dialects/Train/Ops/Parts.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static Value sumAll(GradBuilder &b, Value v) {
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, tensorOf(v).getRank()));
  return all.empty() ? v : b.reduceSum(v, all);
}

Value LossReduction::run(Value losses, Type result) {
  Type element = getElementTypeOrSelf(result), wide = accumulatorOf(element);
  if (valid)
    losses = b.select(mask(losses), losses, b.real(0.0, losses));
  if (reduction == Reduction::none)
    return losses;
  Value sum = sumAll(b, b.castTo(losses, wide));
  return b.castTo(reduction == Reduction::sum ? sum : b.div(sum, count(losses, wide)), element);
}

// A mean over no row is 0.
Value LossReduction::sumOfCounted(Value losses, Type wide) {
  Value one = b.real(1.0, wide), zero = b.real(0.0, wide);
  bool isChoice = getElementTypeOrSelf(counted).isInteger(1);
  Value shares = isChoice ? b.select(counted, one, zero) : b.castTo(counted, wide);
  if (valid)
    shares = b.select(mask(losses), shares, zero);
  Value sum = sumAll(b, shares);
  return b.select(b.greater(sum, isChoice ? one : zero), sum, one);
}

Value LossReduction::count(Value losses, Type wide) {
  if (counted)
    return sumOfCounted(losses, wide);
  auto type = tensorOf(losses);
  if (!valid)
    return b.op<CountOp>(RankedTensorType::get({}, wide), losses,
                         llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  double perRow = double(type.getNumElements()) / type.getDimSize(0);
  return b.mul(validCount(b, type, valid, batchRows, wide), b.real(perRow, wide));
}

Value ampc::countedRows(GradBuilder &b, Value label, std::optional<int64_t> ignore) {
  if (!ignore)
    return {};
  return b.compare(ComparePredicate::ne, label, b.real(double(*ignore), label));
}

Value ampc::smoothed(GradBuilder &b, Value target, double smoothing, int64_t classes) {
  if (smoothing == 0.0)
    return target;
  return b.add(b.mul(b.real(1 - smoothing, target), target), b.real(smoothing / classes, target));
}
