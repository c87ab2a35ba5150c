// Rows of an attention operand: copies from global to shared memory, and loads of fragments to
// registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/RowTile.h"
#include "lib/Codegen/Common/PlainLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

static constexpr int64_t elementBytes = 2, chunkBytes = 16, chunkElements = 8;

RowCopy::RowCopy(DeviceEmitter &e, const FlashShape &shape, const RowLayout &layout, int64_t count,
                 const RowTile &tile, int64_t threads, Value start)
    : e(e), layout(layout), width(shape.width), count(count), copyBytes(shape.copyBytes(layout)),
      threads(threads), tile(tile), start(start) {}

/// Copies a 16-byte chunk in pieces of `copyBytes`; bytes out of range become zeros.
void RowCopy::copyChunk(Value target, Value source, Value isRow, Value present) {
  for (int64_t at = 0; at < chunkBytes; at += copyBytes) {
    Value here;
    if (present)
      here = e.max(e.min(e.add(present, e.i32(-at)), e.i32(copyBytes)), e.i32(0));
    if (isRow)
      here = target::select(e, isRow, here ? here : e.i32(copyBytes), e.i32(0));
    e.copyAsync(e.advance(target, at), e.advance(source, at), copyBytes, here);
  }
}

void RowCopy::issuePanel(Value target, Value source, Value first, int64_t number) {
  SharedTile panel = tile.panel(number);
  int64_t rowsPerPass = threads / panel.chunks, channels = chunkElements * panel.chunks;
  Value row = e.div(e.thread(), panel.chunks), chunk = e.rem(e.thread(), panel.chunks);
  Value column = e.mul(chunk, chunkElements), present;
  if (width < (number + 1) * RowTile::panelChannels && width % channels)
    present = e.mul(e.add(e.i32(width - number * RowTile::panelChannels), e.mul(column, -1)),
                    elementBytes);
  Value place = e.add(e.mul(e.position(row), layout.rowStride()), e.position(column));
  source = e.advance(e.address(source, e.b.getIntegerType(16), place),
                     number * RowTile::panelChannels * elementBytes);
  target = e.advance(e.advance(target, tile.panelStart(number)), panel.offset(e, row, chunk));
  for (int64_t at = 0; at < tile.rows; at += rowsPerPass) {
    Value own = e.add(e.add(first, e.position(row)), at), isRow;
    if (count % tile.rows)
      isRow = e.less(own, e.index(count));
    auto copy = [&] {
      copyChunk(e.advance(target, at * panel.rowBytes()),
                e.advance(source, at * layout.rowStride() * elementBytes), isRow, present);
    };
    if (rowsPerPass > tile.rows)
      e.when(e.isBelow(row, tile.rows), copy);
    else
      copy();
  }
}

void RowCopy::issue(Value target, Value first) {
  Value source = e.address(start, e.b.getIntegerType(16), e.mul(first, layout.rowStride()));
  for (int64_t panel = 0; panel < tile.panels(); ++panel)
    issuePanel(target, source, first, panel);
}

RowFragments::RowFragments(DeviceEmitter &e, const RowTile &tile, bool isLeft, bool alongDepth,
                           int64_t lines, Value first)
    : e(e), tile(tile), alongDepth(alongDepth) {
  auto add = [&](const SharedTile &panel) {
    int64_t channels = chunkElements * panel.chunks;
    FragmentSide side{isLeft, alongDepth, /*isTF32=*/false, alongDepth ? lines : channels,
                      channels / 16};
    loaders.emplace_back(e, panel, side, first);
  };
  if (tile.panels() > 1 || !tile.endsNarrow())
    add(tile.panel(0));
  if (tile.endsNarrow())
    add(tile.panel(tile.panels() - 1));
}
RowFragments RowFragments::left(DeviceEmitter &e, const RowTile &tile, int64_t lines, Value first) {
  return RowFragments(e, tile, /*isLeft=*/true, /*alongDepth=*/true, lines, first);
}
RowFragments RowFragments::rightRows(DeviceEmitter &e, const RowTile &tile) {
  return RowFragments(e, tile, /*isLeft=*/false, /*alongDepth=*/true, tile.rows, e.i32(0));
}
RowFragments RowFragments::rightChannels(DeviceEmitter &e, const RowTile &tile) {
  return RowFragments(e, tile, /*isLeft=*/false, /*alongDepth=*/false, 0, e.i32(0));
}

Fragment RowFragments::load(Value base, int64_t i, int64_t k) {
  constexpr int64_t steps = RowTile::panelChannels / 16;
  int64_t &channel = alongDepth ? k : i;
  int64_t panel = channel / steps;
  channel %= steps;
  FragmentLoader &loader =
      tile.endsNarrow() && panel + 1 == tile.panels() ? loaders.back() : loaders.front();
  return loader.load(e.advance(base, tile.panelStart(panel)), i, k);
}
