// Stores of results from accumulator registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/FlashBlock.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

void FlashBlock::storeRows(const Accumulators &sums, ArrayRef<Value> factors, unsigned result) {
  const RowLayout &layout = shape.results[result];
  if (target::elementBytes(layout.element) == 2 && layout.columnStride() == 1 &&
      layout.startsAt(8, shape.batch) && shape.width % 8 == 0)
    storeChunks(sums, factors, result);
  else
    storeElements(sums, factors, result);
}

// 4x4 transpose: thread t of four has piece t of every tile. First neighbouring threads exchange,
// then pairs of threads: of two tiles, each thread sends the tile that the partner keeps.
void FlashBlock::transposeQuad(MutableArrayRef<Value> words) {
  for (int64_t bit : {1, 2}) {
    Value isUpper = target::equal(e, e.bitAnd(lane, bit), e.i32(bit));
    for (int64_t low = 0; low < 4; ++low) {
      if (low & bit)
        continue;
      Value &lower = words[low], &upper = words[low + bit];
      Value got = shuffleXor(target::select(e, isUpper, lower, upper), bit);
      lower = target::select(e, isUpper, got, lower);
      upper = target::select(e, isUpper, upper, got);
    }
  }
}

/// Stores 16 bytes per thread, in groups of four tiles of eight channels.
void FlashBlock::storeChunks(const Accumulators &sums, ArrayRef<Value> factors, unsigned result) {
  const RowLayout &layout = shape.results[result];
  Value start = rowStart(layout, pointers.results[result]), number = e.rem(lane, 4);
  int64_t tiles = shape.channelTiles();
  for (int64_t i = 0; i < warpBlocks(); ++i)
    for (int64_t half : {0, 1}) {
      Value own = row(i, half), factor = factors[2 * i + half];
      Value line = e.address(start, layout.element, e.mul(e.position(own), layout.rowStride()));
      line = e.advance(line, e.mul(number, 16));
      for (int64_t group = 0; group < tiles; group += 4) {
        SmallVector<Value> words(4, e.i32(0));
        int64_t present = std::min<int64_t>(4, tiles - group);
        for (int64_t t = 0; t < present; ++t) {
          const Accumulator &square = sums[i * tiles + group + t];
          words[t] = roundPair(mul(square[2 * half], factor), mul(square[2 * half + 1], factor),
                               layout.element);
        }
        transposeQuad(words);
        auto store = [&] { e.storeVector(words, e.advance(line, 16 * group)); };
        whenRow(own, [&] {
          if (present == 4)
            store();
          else
            e.when(e.isBelow(number, present), store);
        });
      }
    }
}

void FlashBlock::storeElements(const Accumulators &sums, ArrayRef<Value> factors, unsigned result) {
  const RowLayout &layout = shape.results[result];
  Value start = rowStart(layout, pointers.results[result]);
  int64_t tiles = shape.channelTiles();
  bool inPairs =
      layout.columnStride() == 1 && layout.startsAt(2, shape.batch) && shape.width % 2 == 0;
  int64_t run = inPairs ? 2 : 1;
  for (int64_t n = 0; n < warpBlocks() * tiles; ++n)
    for (int64_t at = 0; at < 4; at += run) {
      Value own = row(n / tiles, at / 2), factor = factors[2 * (n / tiles) + at / 2];
      Value channel = e.add(pair, e.i32(n % tiles * 8 + at % 2));
      SmallVector<Value> numbers;
      for (int64_t i = at; i < at + run; ++i)
        numbers.push_back(target::narrow(e, mul(sums[n][i], factor), layout.element));
      Value place = e.add(e.mul(e.position(own), layout.rowStride()),
                          e.mul(e.position(channel), layout.columnStride()));
      auto store = [&] { e.storeVector(numbers, e.address(start, layout.element, place)); };
      whenRow(own, [&] {
        if (n % tiles * 8 + 8 <= shape.width)
          store();
        else
          e.when(e.isBelow(channel, shape.width), store);
      });
    }
}

void FlashBlock::storeRowNumber(Value number, unsigned result, int64_t part, int64_t i,
                                int64_t half) {
  const RowLayout &layout = shape.results[result];
  Value own = row(i, half);
  SmallVector<Value> dims(batch);
  llvm::append_values(dims, e.index(part), e.position(own));
  Value place = target::position(e, layout.access, dims);
  whenRow(own, [&] {
    e.when(target::equal(e, pair, e.i32(0)),
           [&] { e.storeScalar(number, pointers.results[result], place); });
  });
}

void FlashBlock::storeScores(const Accumulators &numbers, Value tileNumber, unsigned result) {
  const RowLayout &layout = shape.results[result];
  int64_t run = liesInPairs(layout) ? 2 : 1;
  Value start = column(tileNumber);
  for (auto [n, square] : llvm::enumerate(numbers))
    for (int64_t i = 0; i < 4; i += run) {
      Value own = row(n / columnTiles(), i / 2),
            across = e.add(start, n % columnTiles() * 8 + i % 2);
      SmallVector<Value> values;
      for (int64_t q = i; q < i + run; ++q)
        values.push_back(target::narrow(e, square[q], layout.element));
      auto store = [&] {
        Value place = scorePosition(layout, e.position(own), across);
        e.storeVector(values, e.address(pointers.results[result], layout.element, place));
      };
      whenRow(own, [&] {
        if (columnCount() % tile.columns)
          e.when(e.less(across, e.index(columnCount())), store);
        else
          store();
      });
    }
}
