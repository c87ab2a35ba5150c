// Intervals that hold for every input, and constants that a type cannot hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Ranges.h"
#include "lib/Precision/Analysis/LoopCopies.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;
using namespace ampc;

double ampc::largestOf(Type type) {
  return APFloat::getLargest(cast<FloatType>(type).getFloatSemantics()).convertToDouble();
}

static DenseFPElementsAttr elementsOf(Value v) {
  auto constant = v.getDefiningOp<train::ConstantOp>();
  return constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
}

/// Distinct elements of a splat, else all elements: a single number may fill a tensor of millions.
static auto numbersOf(DenseFPElementsAttr elements) {
  auto begin = elements.begin();
  return llvm::make_range(begin, elements.isSplat() ? std::next(begin) : elements.end());
}

static std::optional<std::string> misfitOf(APFloat x, FloatType type, StringRef what) {
  APFloat rounded = x;
  bool losesInfo;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  bool overflows = x.isFinite() && !rounded.isFinite(), vanishes = !x.isZero() && rounded.isZero();
  if (!overflows && !vanishes)
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text) << "the " << what << " "
                                 << llvm::format("%.6g", x.convertToDouble())
                                 << (overflows ? " overflows in " : " becomes 0 in ") << type;
  return text;
}

std::optional<std::string> ampc::constantMisfit(Value v, Type type) {
  for (Operation *op = v.getDefiningOp(); (op && movesOnly(op)) || isRow(v); op = v.getDefiningOp())
    v = op ? op->getOperand(0) : flowsFrom(v).front();
  DenseFPElementsAttr elements = elementsOf(v);
  auto target = dyn_cast<FloatType>(type);
  if (!elements || !target)
    return std::nullopt;
  for (APFloat x : numbersOf(elements))
    if (auto misfit = misfitOf(x, target, "constant"))
      return misfit;
  return std::nullopt;
}

std::optional<std::string> ampc::constantMisfit(Operation *op, Type type) {
  for (Value operand : op->getOperands())
    if (auto misfit = constantMisfit(operand, type))
      return misfit;
  auto target = dyn_cast<FloatType>(type);
  auto precision = dyn_cast<PrecisionOpInterface>(op);
  // Contractions, sums, norms and losses compute in f32, whatever the result type.
  if (!target || !precision || precision.getCategory() == Category::FullPrecision ||
      precision.getCategory() == Category::LowPrecision)
    return std::nullopt;
  for (NamedAttribute named : op->getAttrDictionary())
    if (auto number = dyn_cast<FloatAttr>(named.getValue()))
      if (auto misfit = misfitOf(number.getValue(), target, named.getName().getValue()))
        return misfit;
  return std::nullopt;
}

namespace {
/// Ranges, by value and remaining depth of the search. Without the table a value read twice by each
/// op of a chain would be visited on 2^depth paths.
using KnownRanges = DenseMap<std::pair<Value, unsigned>, ampc::Range>;
} // namespace

static ampc::Range rangeOf(Value v, unsigned depth, KnownRanges &known) {
  if (DenseFPElementsAttr elements = elementsOf(v)) {
    Interval range{INFINITY, -INFINITY};
    for (APFloat x : numbersOf(elements)) {
      double number = x.convertToDouble();
      range = {std::min(range.low, number), std::max(range.high, number)};
    }
    return range;
  }
  auto op = v.getDefiningOp<PrecisionOpInterface>();
  SmallVector<Value, 2> copied = op ? SmallVector<Value, 2>() : flowsFrom(v);
  if ((!op && copied.empty()) || depth == 0)
    return std::nullopt;
  if (auto found = known.find({v, depth}); found != known.end())
    return found->second;
  ampc::Range range;
  if (op) {
    range = op.getRange(cast<OpResult>(v).getResultNumber(),
                        [&](unsigned i) { return rangeOf(op->getOperand(i), depth - 1, known); });
  } else { // carried: the init's elements, and those of later rounds
    range = rangeOf(copied.front(), depth - 1, known);
    range = hull(range, rangeOf(copied.back(), depth - 1, known));
  }
  known[{v, depth}] = range;
  return range;
}

ampc::Range ampc::rangeOf(Value v) {
  KnownRanges known;
  return ::rangeOf(v, /*depth=*/6, known);
}

std::optional<std::string> ampc::rangeMisfit(Value v, Type type) {
  ampc::Range range = ampc::rangeOf(v);
  if (!range || range->magnitude() <= largestOf(type))
    return std::nullopt;
  std::string text;
  llvm::raw_string_ostream(text) << "elements may reach "
                                 << llvm::format("%.6g", range->magnitude()) << ", more than "
                                 << textOf(type) << " holds";
  return text;
}
