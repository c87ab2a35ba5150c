// Sums of many rows of few columns, whose terms many threads find.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Reduce/StagedSums.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

StagedSums::StagedSums(kernel::Combine kind, ArrayRef<Type> types, int64_t columns, int64_t points)
    : kind(kind), types(types), columns(columns), points(points) {
  constexpr int64_t tileElements = 4096;
  int64_t results = types.size();
  passes = std::max<int64_t>(1, tileElements / (threads * points * results));
  for (Type type : types) {
    offsets.push_back(tileBytes);
    tileBytes += llvm::alignTo(rowsPerTile() * columns * target::elementBytes(type), 16);
  }
}
LaunchShape StagedSums::shape() const {
  LaunchShape shape;
  shape.threads = threads;
  shape.sharedBytes = 2 * tileBytes;
  return shape;
}

Value StagedSums::isAdder(DeviceEmitter &e, unsigned k) const {
  Value isBelow = e.less32(e.thread(), (k + 1) * columns);
  return k == 0 ? isBelow
                : target::both(e, isBelow, target::negate(e, e.less32(e.thread(), k * columns)));
}
Value StagedSums::column(DeviceEmitter &e, unsigned k) const {
  return e.position(e.sub32(e.thread(), e.i32(k * columns)));
}

/// Rows behind the last add nothing; instead of them the last is read, so that no read waits for a
/// branch.
void StagedSums::findTerms(DeviceEmitter &e, Value first, Value to, Value parity,
                           Terms terms) const {
  int64_t chunks = columns / points, used = rowsPerPass() * chunks;
  Value chunk = e.position(e.rem32(e.thread(), chunks)),
        line = e.position(e.div32(e.thread(), chunks));
  Value column = e.mul(chunk, points), last = e.sub(to, e.index(1));
  SmallVector<SmallVector<SmallVector<Value>>> found; // by pass and result
  for (int64_t pass = 0; pass < passes; ++pass) {
    Value row = e.add(e.add(first, pass * rowsPerPass()), line);
    found.push_back(terms(e.min(row, last), column));
    Value exists = e.less(row, to);
    for (auto [type, list] : llvm::zip(types, found.back()))
      for (Value &term : list)
        term = target::select(e, exists, term, target::neutral(e, kind, type));
  }
  auto store = [&] {
    Value base = e.advance(e.sharedMemory(), e.mul32(parity, tileBytes));
    for (auto [pass, results] : llvm::enumerate(found))
      for (auto [k, list] : llvm::enumerate(results)) {
        Value place = e.add(e.mul(e.add(line, pass * rowsPerPass()), columns), column);
        e.storeRun(list, e.address(e.advance(base, offsets[k]), types[k], place));
      }
  };
  if (used == threads)
    store();
  else
    e.when(e.less32(e.thread(), used), store);
}

Value StagedSums::addTerms(DeviceEmitter &e, unsigned k, Value parity, Value sum) const {
  auto add = [&]() -> SmallVector<Value> {
    Value base = e.advance(e.sharedMemory(), e.mul32(parity, tileBytes));
    Value from = e.address(e.advance(base, offsets[k]), types[k], column(e, k));
    return e.loop(e.index(0), e.index(rowsPerTile()), 1, sum,
                  [&](Value row, ValueRange soFar) -> SmallVector<Value> {
                    Value term = e.loadScalar(from, types[k], e.mul(row, columns));
                    return {combine(e, kind, soFar[0], term)};
                  });
  };
  return e.either(isAdder(e, k), add, [&]() -> SmallVector<Value> { return {sum}; })[0];
}

SmallVector<Value> StagedSums::run(DeviceEmitter &e, Value from, Value to, Terms terms) const {
  SmallVector<Value> carried;
  for (Type type : types)
    carried.push_back(target::neutral(e, kind, type));
  carried.push_back(e.i32(0)); // of the two buffers
  carried = e.loop(from, to, rowsPerTile(), carried, [&](Value first, ValueRange soFar) {
    SmallVector<Value> next(soFar);
    Value parity = next.back();
    findTerms(e, first, to, parity, terms);
    e.syncBlock();
    for (unsigned k = 0; k < types.size(); ++k)
      next[k] = addTerms(e, k, parity, next[k]);
    next.back() = e.xor32(parity, e.i32(1));
    return next;
  });
  carried.pop_back();
  return carried;
}
