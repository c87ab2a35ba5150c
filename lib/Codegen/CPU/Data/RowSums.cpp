// Sums along a row, in the order shared by all targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Data/RowSums.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;
using target::order::chunkColumns;

static int64_t chunkBytes(int64_t count) { return alignUp(count * int64_t(sizeof(double))); }

int64_t RowSums::scratchBytes(int64_t sums, int64_t length) {
  int64_t count = llvm::divideCeil(length, chunkColumns);
  return sums * (stripeBytes + columnBytes + (count > 1 ? chunkBytes(count) : 0));
}
Value RowSums::chunks(unsigned k, int64_t count) {
  return e.offset(scratch,
                  int64_t(sums.size()) * (stripeBytes + columnBytes) + k * chunkBytes(count));
}

// Length <= 256: a narrower matrix of one row (128 or 256 columns), because the tree has no terms
// at the missing distances 256 and 128.
RowSums::Matrix::Matrix(int64_t length)
    : length(length), ways(std::min<int64_t>(target::order::rowWidth / span,
                                             llvm::PowerOf2Ceil(llvm::divideCeil(length, span)))),
      rows(length / (ways * span)), rest(length - rows * ways * span) {}

RowSums::Values RowSums::addWay(ValueRange soFar, int64_t way, Value column, int64_t active,
                                Terms terms) {
  Values next;
  size_t first = way * sums.size();
  for (auto [k, term] : llvm::enumerate(terms(e.add(column, way * span), active))) {
    Value sum = soFar[first + k];
    next.push_back(keepActive(e, combine(e, sums[k].kind, sum, term), sum, active));
  }
  return next;
}

RowSums::Values RowSums::start() {
  return llvm::map_to_vector(sums, [&](const Sum &sum) {
    return neutral(e, sum.kind, KernelEmitter::vectorOf(sum.type, lanes));
  });
}
RowSums::Values RowSums::columnsAt(Value column) {
  Values found;
  for (unsigned k = 0; k < sums.size(); ++k)
    found.push_back(e.loadVector(columns(k), sums[k].type, column, lanes));
  return found;
}

/// Adds whole rows of the matrix to the column sums in scratch.
void RowSums::addRows(int64_t rows, Terms terms) {
  constexpr int64_t width = target::order::rowWidth, together = 4;
  auto addRow = [&](Value row, bool isFirst) {
    e.loop(e.index(0), e.index(width), together * lanes, [&](Value first) {
      for (int64_t i = 0; i < together; ++i) {
        Value column = e.add(first, i * lanes);
        Values next = addWay(isFirst ? start() : columnsAt(column), 0,
                             e.add(e.mul(row, width), column), lanes, terms);
        for (auto [k, sum] : llvm::enumerate(next))
          e.store(sum, columns(k), column);
      }
    });
  };
  addRow(e.index(0), true);
  e.loop(e.index(1), e.index(rows), 1, [&](Value row) { addRow(row, false); });
}

/// Sums the columns j, j + 128, j + 256 and j + 384 for one vector of j from `column` on. The last
/// row of the matrix has `whole` full vectors of terms, and `active` lanes of a further vector.
RowSums::Values RowSums::sumStripe(const Matrix &matrix, Value column, int64_t whole,
                                   int64_t active, Terms terms) {
  size_t count = sums.size();
  int64_t width = matrix.ways * span;
  Values found;
  for (int64_t way = 0; way < matrix.ways; ++way)
    llvm::append_range(found, matrix.isLong() ? columnsAt(e.add(column, way * span)) : start());
  int64_t before = matrix.isLong() ? 0 : matrix.rows;
  found = e.loop(e.index(0), e.index(before), 1, found, [&](Value row, ValueRange soFar) {
    Values next;
    Value at = e.add(e.mul(row, width), column);
    for (int64_t way = 0; way < matrix.ways; ++way)
      llvm::append_range(next, addWay(soFar, way, at, lanes, terms));
    return next;
  });
  Value last = e.add(column, matrix.rows * width);
  for (int64_t way = 0; way < whole + (active > 0); ++way)
    llvm::copy(addWay(found, way, last, way < whole ? lanes : active, terms),
               found.begin() + way * count);
  Values stripe;
  for (unsigned k = 0; k < count; ++k)
    stripe.push_back(target::sumTree<Value>(
        matrix.ways, [&](int64_t way) { return found[way * count + k]; },
        [&](Value x, Value y) { return combine(e, sums[k].kind, x, y); }));
  return stripe;
}

/// Few vectors of terms: unrolled, with all stripes in registers. A bf16 row of 768 on 16 lanes (48
/// vectors) took a tenth longer with its stripes in scratch. Terms of many instructions gain
/// nothing, and 64 copies of tanh(expm1(x)) and its gradient took 4 s to compile.
bool RowSums::isUnrolled(const Matrix &matrix, int64_t vectors) const {
  return !matrix.isLong() && vectors <= fewVectors && vectors * instructions <= mostUnrolled;
}

RowSums::Values RowSums::emitChunk(Value from, int64_t length, Terms terms) {
  Matrix matrix(length);
  int64_t count = llvm::divideCeil(std::min(length, span), lanes);
  int64_t whole = matrix.rest / span, partial = matrix.rest % span, tail = partial % lanes;
  auto termsAt = [&](Value column, int64_t active) { return terms(e.add(from, column), active); };
  if (matrix.isLong())
    addRows(matrix.rows, termsAt);
  bool isFlat = count == 1 || isUnrolled(matrix, llvm::divideCeil(length, lanes));
  SmallVector<Values> flat;
  auto sum = [&](Value column, int64_t ofLast, int64_t active) {
    Values stripe = sumStripe(matrix, column, ofLast, active, termsAt);
    for (unsigned k = 0; k < sums.size() && !isFlat; ++k)
      e.store(stripe[k], stripes(k), column);
    flat.push_back(stripe);
  };
  auto forStripes = [&](int64_t first, int64_t end, int64_t ofLast) {
    for (int64_t column = first; column < end && isFlat; column += lanes)
      sum(e.index(column), ofLast, 0);
    if (!isFlat)
      e.loop(e.index(first), e.index(end), lanes, [&](Value column) { sum(column, ofLast, 0); });
  };
  forStripes(0, partial - tail, whole + 1);
  if (tail)
    sum(e.index(partial - tail), whole, tail);
  forStripes(llvm::alignTo(partial, lanes), count * lanes, whole);
  Values found;
  for (unsigned k = 0; k < sums.size(); ++k) {
    auto load = [&](int64_t i) -> Value {
      return isFlat ? flat[i][k]
                    : e.loadVector(stripes(k), sums[k].type, e.index(i * lanes), lanes);
    };
    Value all = target::sumTree<Value>(
        count, load, [&](Value x, Value y) { return combine(e, sums[k].kind, x, y); });
    found.push_back(combineLanes(e, sums[k].kind, all));
  }
  return found;
}

Value RowSums::addChunks(unsigned k, int64_t count) {
  Value base = chunks(k, count);
  auto load = [&](Value i) { return e.loadScalar(base, sums[k].type, i); };
  target::forLevels(count, [&](int64_t half, int64_t pairs) {
    e.loop(e.index(0), e.index(pairs), 1, [&](Value i) {
      e.storeScalar(combine(e, sums[k].kind, load(i), load(e.add(i, half))), base, i);
    });
  });
  return load(e.index(0));
}

RowSums::Values RowSums::emit(int64_t length, Terms terms) {
  int64_t count = llvm::divideCeil(length, chunkColumns);
  if (count <= 1)
    return emitChunk(e.index(0), length, terms);
  auto store = [&](ValueRange ofChunk, Value chunk) {
    for (auto [k, sum] : llvm::enumerate(ofChunk))
      e.storeScalar(sum, chunks(k, count), chunk);
  };
  int64_t rest = length % chunkColumns;
  e.loop(e.index(0), e.index(length / chunkColumns), 1, [&](Value chunk) {
    store(emitChunk(e.mul(chunk, chunkColumns), chunkColumns, terms), chunk);
  });
  if (rest)
    store(emitChunk(e.index(length - rest), rest, terms), e.index(count - 1));
  Values found;
  for (unsigned k = 0; k < sums.size(); ++k)
    found.push_back(addChunks(k, count));
  return found;
}
