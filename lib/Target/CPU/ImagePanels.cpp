// Windows of an image copied into panels; padding becomes zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/ImagePanels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ampc::cpu;

PatchReader::Pixel PatchReader::pixelAt(KernelEmitter &e, Value number) const {
  Value x = e.rem(number, window.outWidth), rest = e.div(number, window.outWidth);
  Value y = e.rem(rest, window.outHeight);
  return {e.div(rest, window.outHeight), e.add(e.mul(y, window.strides[0]), -window.padding[0]),
          e.add(e.mul(x, window.strides[1]), -window.padding[1])};
}

/// Row or column in the image, clamped into it; clears `inside` if there is none.
Value PatchReader::along(KernelEmitter &e, Value start, Value tap, unsigned axis, int64_t size,
                         Value &inside) const {
  Value at = e.add(start, e.mul(tap, window.dilations[axis]));
  auto require = [&](Value condition) {
    inside = inside ? e.b.createOrFold<arith::AndIOp>(e.loc, inside, condition) : condition;
  };
  int64_t spread = window.inputDilations[axis];
  // One unsigned comparison finds both ends.
  require(arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ult, at,
                                e.index((size - 1) * spread + 1)));
  at = e.max(e.index(0), e.min(at, e.index((size - 1) * spread)));
  if (spread > 1)
    require(
        arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, e.rem(at, spread), e.index(0)));
  return e.div(at, spread);
}

Patch PatchReader::patchAt(KernelEmitter &e, const Pixel &pixel, Value tap, Value group) const {
  Patch patch;
  Value y = along(e, pixel.y, e.div(tap, window.kernel[1]), 0, window.height, patch.inside);
  Value x = along(e, pixel.x, e.rem(tap, window.kernel[1]), 1, window.width, patch.inside);
  Value row = e.add(e.mul(pixel.image, window.height), y),
        column = e.add(e.mul(row, window.width), x);
  patch.start = e.add(e.mul(column, window.channels), e.mul(group, window.groupChannels));
  return patch;
}

PanelLayout PixelLines::layout(int64_t lines, int64_t depth) const { return paddedLines(depth); }

void PixelLines::pack(KernelEmitter &e, Value line, int64_t count, Value k, Value points,
                      Value panel, PanelLayout layout, Type acc) {
  const Window &window = reader.window;
  int64_t channels = window.groupChannels, width = e.tier.lanes(8 * elementBytes(acc));
  Value end = e.add(k, points);
  e.loop(e.index(0), e.index(count), 1, [&](Value i) {
    Value number = e.min(e.add(line, i), e.index(window.pixels() - 1));
    PatchReader::Pixel pixel = reader.pixelAt(e, number);
    Value to = e.sub(e.mul(i, layout.lineStride), k); // of k = 0
    e.loop(e.div(k, channels), e.div(e.add(end, channels - 1), channels), 1, [&](Value tap) {
      Patch patch = reader.patchAt(e, pixel, tap, group);
      Value first = e.mul(tap, channels);
      Value c0 = e.max(e.index(0), e.sub(k, first)),
            c1 = e.min(e.index(channels), e.sub(end, first));
      Value into = e.add(to, first);
      auto copy = [&](Value from, Value until, int64_t lanes) {
        e.loop(from, until, lanes, [&](Value c) {
          Value x = widen(
              e, e.loadVector(reader.pointer, reader.element, e.add(patch.start, c), lanes), acc);
          Value zero = e.constant(x.getType(), 0);
          e.store(arith::SelectOp::create(e.b, e.loc, patch.inside, x, zero), panel,
                  e.add(into, c));
        });
      };
      // Blocks of k are multiples of a vector, so whole vectors suffice if the channels are, too.
      if (channels % width == 0)
        return copy(c0, c1, width);
      Value whole = e.sub(c1, e.rem(e.sub(c1, c0), width));
      if (channels > width)
        copy(c0, whole, width);
      copy(channels > width ? whole : c0, c1, 1);
    });
  });
}

void TapLines::pack(KernelEmitter &e, Value line, int64_t count, Value k, Value points, Value panel,
                    PanelLayout layout, Type acc) {
  const Window &window = reader.window;
  int64_t channels = window.groupChannels, width = e.tier.lanes(8 * elementBytes(acc));
  int64_t lanes = channels % width == 0 ? width : 1;
  Value last = e.index(window.taps() * channels - lanes);
  auto copy = [&](Value number, PatchReader::Pixel pixel, Value j, Value at) {
    Value tap = e.div(number, channels);
    Patch patch = reader.patchAt(e, pixel, tap, group);
    Value from = e.add(patch.start, e.rem(number, channels));
    Value x = widen(e, e.loadVector(reader.pointer, reader.element, from, lanes), acc);
    x = arith::SelectOp::create(e.b, e.loc, patch.inside, x, e.constant(x.getType(), 0));
    e.store(x, panel, e.add(e.mul(j, layout.depthStride), at));
  };
  e.loop(e.index(0), points, 1, [&](Value j) {
    PatchReader::Pixel pixel = reader.pixelAt(e, e.add(k, j));
    if (lanes == 1) {
      e.loop(e.index(0), e.index(count), 1,
             [&](Value i) { copy(e.min(e.add(line, i), last), pixel, j, i); });
      return;
    }
    for (int64_t i = 0; i < count; i += lanes)
      copy(e.min(e.add(line, i), last), pixel, j, e.index(i));
  });
}
