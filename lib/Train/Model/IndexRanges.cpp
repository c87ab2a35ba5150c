// Analysis of accepted integers per tensor element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Model/IndexRanges.h"
#include "mlir-dialects/Train/Ops/ElementSources.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace ampc;

static int64_t countOf(Value v) { return tensorOf(v).getNumElements(); }

static bool isInteger(Value v) { return isa<IntegerType>(getElementTypeOrSelf(v.getType())); }
static bool isTruth(Value v) { return getElementTypeOrSelf(v.getType()).isInteger(1); }

bool ampc::givesIntegers(Operation *op) {
  if (auto cast = dyn_cast<train::CastOp>(op))
    return isInteger(cast.getX()) && isInteger(cast.getResult()) && !cast.getIsUnsigned() &&
           !(isTruth(cast.getResult()) && !isTruth(cast.getX()));
  return op->hasTrait<GivesElements>() && isInteger(op->getResult(0));
}

// ---- Limits ----

/// Intersection of two ranges. 0 is accepted by every range, so `ignore = 0` stands for no ignored
/// number.
static IndexRange acceptedByBoth(const IndexRange &a, const IndexRange &b) {
  if (!a.limit || !b.limit)
    return a.limit ? a : b;
  int64_t ignore = 0;
  for (int64_t number : {a.ignore, b.ignore})
    if (number && a.accepts(number) && b.accepts(number))
      ignore = number;
  return {std::min(a.limit, b.limit), ignore, std::max(a.least, b.least)};
}

uint32_t IndexRanges::numberOf(IndexRange accepted) {
  auto found = llvm::find(known, accepted);
  if (found == known.end())
    found = known.insert(known.end(), accepted);
  return found - known.begin();
}

std::vector<uint32_t> &IndexRanges::eachOf(Value tensor) {
  Numbers &numbers = limits[tensor];
  if (numbers.each.empty())
    numbers.each.resize(countOf(tensor), numbers.all);
  return numbers.each;
}

void IndexRanges::tighten(uint32_t &place, uint32_t by) {
  if (place != by && by)
    place = place ? numberOf(acceptedByBoth(known[place], known[by])) : by;
}

void IndexRanges::tighten(Value tensor, IndexRange accepted) {
  if (!accepted.limit)
    return;
  uint32_t by = numberOf(accepted);
  Numbers &numbers = limits[tensor];
  tighten(numbers.all, by);
  for (uint32_t &place : numbers.each)
    tighten(place, by);
}

// ---- Through ops ----

void IndexRanges::passToOperands(Operation &op) {
  if (op.getNumResults() == 0 || !givesIntegers(&op))
    return;
  for (OpResult result : op.getResults()) {
    auto found = limits.find(result);
    if (found == limits.end())
      continue;
    Numbers given = std::move(found->second);
    if (given.each.empty() && isa<train::CastOp>(op)) {
      tighten(op.getOperand(0), known[given.all]);
      continue;
    }
    for (Value operand : op.getOperands())
      eachOf(operand); // all insertions first: the map moves entries when it grows
    forEachElement(result, [&](int64_t element, Value from, int64_t number) {
      tighten(limits.find(from)->second.each[number], given.of(element));
    });
  }
}

bool IndexRanges::passBack(Value to, Value from) {
  auto found = limits.find(to);
  if (found == limits.end() || !isInteger(from))
    return false;
  Numbers given = found->second, before = limits.lookup(from);
  if (given.each.empty()) {
    tighten(from, known[given.all]);
    return !(limits.lookup(from) == before);
  }
  int64_t sizeOfTo = countOf(to), sizeOfFrom = countOf(from);
  std::vector<uint32_t> &numbers = eachOf(from);
  for (int64_t j = 0; j < std::max(sizeOfTo, sizeOfFrom); ++j)
    tighten(numbers[j % sizeOfFrom], given.each[j % sizeOfTo]);
  return !(limits.lookup(from) == before);
}

// ---- Runs of a row ----

/// Length of the shortest prefix whose repetition is the row: [1, 2, 1, 2] -> 2.
static size_t periodOf(ArrayRef<uint32_t> row) {
  for (size_t period = 1; 2 * period <= row.size(); ++period)
    if (row.size() % period == 0 && row.drop_front(period) == row.drop_back(period))
      return period;
  return row.size();
}

SmallVector<train::LimitsAttr> IndexRanges::runsOf(Value tensor, int64_t rows, bool &isSame) const {
  MLIRContext *context = tensor.getContext();
  auto found = limits.find(tensor);
  if (found == limits.end())
    return {train::LimitsAttr::get(context, 1, 0, 0, 0)};
  ArrayRef<uint32_t> numbers = found->second.each;
  if (numbers.empty())
    numbers = found->second.all, rows = 1;
  size_t width = numbers.size() / rows;
  std::vector<uint32_t> row = numbers.take_front(width);
  for (size_t i = width; i < numbers.size(); ++i)
    if (uint32_t &number = row[i % width]; number != numbers[i]) {
      number = 0;
      isSame = false;
    }
  SmallVector<train::LimitsAttr> runs;
  size_t period = periodOf(row);
  for (size_t begin = 0, end; begin < period; begin = end) {
    for (end = begin + 1; end < period && row[end] == row[begin];)
      ++end;
    const IndexRange &accepted = known[row[begin]];
    runs.push_back(train::LimitsAttr::get(context, end - begin, accepted.limit, accepted.ignore,
                                          accepted.least));
  }
  return runs;
}
