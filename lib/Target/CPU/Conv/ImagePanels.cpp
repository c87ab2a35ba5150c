// Windows of an image copied into panels; padding becomes zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/Conv/ImagePanels.h"
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
  Value within = e.mul(e.add(e.mul(y, window.width), x), window.columnStride());
  within = e.add(within, e.mul(group, window.groupChannels * window.channelStride()));
  patch.start = e.add(e.mul(pixel.image, window.imageStride()), within);
  return patch;
}

PanelLayout PixelLines::layout(int64_t lines, int64_t depth) const { return paddedLines(depth); }

/// The widest vector of which a tap's channels, if they are neighbours, are a multiple.
static int64_t lanesDividing(const Window &window, int64_t width) {
  if (window.channelsFirst)
    return 1;
  while (window.groupChannels % width)
    width /= 2;
  return width;
}

Value ampc::cpu::readImage(KernelEmitter &e, const PatchReader &reader, Value inside, Value at,
                           int64_t lanes, const PanelFormat &format) {
  Value x = format.depth == 1
                ? widen(e, e.loadVector(reader.pointer, reader.element, at, lanes), format.unit)
                : e.loadVector(reader.pointer, e.b.getIntegerType(16), at, lanes);
  return arith::SelectOp::create(e.b, e.loc, inside, x, e.constant(x.getType(), 0));
}

// Whole lines: positions count k, and a pair is two neighbours in memory.
void PixelLines::pack(KernelEmitter &e, Value line, int64_t count, Value firstPoint, Value points,
                      Value panel, PanelLayout layout, const PanelFormat &format) {
  const Window &window = reader.window;
  int64_t channels = window.groupChannels, depth = window.taps() * channels;
  int64_t width = e.tier.lanes(8 * elementBytes(format.unit)) * format.depth;
  Value k = e.mul(firstPoint, format.depth);
  Value end = e.add(k, e.mul(points, format.depth));
  if (depth % format.depth)
    end = e.min(end, e.index(depth));
  auto store = [&](Value x, Value at) {
    format.depth == 1 ? e.store(x, panel, at) : storeAlongLine(e, x, panel, at, format);
  };
  e.loop(e.index(0), e.index(count), 1, [&](Value i) {
    Value number = e.min(e.add(line, i), e.index(window.pixels() - 1));
    PatchReader::Pixel pixel = reader.pixelAt(e, number);
    Value to = e.sub(e.mul(i, layout.lineStride * format.depth), k); // of k = 0
    e.loop(e.div(k, channels), e.div(e.add(end, channels - 1), channels), 1, [&](Value tap) {
      Patch patch = reader.patchAt(e, pixel, tap, group);
      Value first = e.mul(tap, channels);
      Value c0 = e.max(e.index(0), e.sub(k, first)),
            c1 = e.min(e.index(channels), e.sub(end, first));
      Value into = e.add(to, first);
      auto copy = [&](Value from, Value until, int64_t lanes) {
        e.loop(from, until, lanes, [&](Value c) {
          Value at = e.add(patch.start, e.mul(c, window.channelStride()));
          store(readImage(e, reader, patch.inside, at, lanes, format), e.add(into, c));
        });
      };
      // Blocks of k are multiples of a vector, so whole vectors suffice if the channels are, too.
      int64_t lanes = lanesDividing(window, width);
      if (lanes >= 4 || channels < width || window.channelsFirst)
        return copy(c0, c1, lanes);
      Value whole = e.sub(c1, e.rem(e.sub(c1, c0), width));
      copy(c0, whole, width);
      copy(whole, c1, 1);
    });
    if (depth % format.depth)
      e.when(e.less(e.index(depth - 1), end),
             [&] { store(e.constant(e.b.getIntegerType(16), 0), e.add(to, depth)); });
  });
}

void TapLines::pack(KernelEmitter &e, Value line, int64_t count, Value k, Value points, Value panel,
                    PanelLayout layout, const PanelFormat &format) {
  const Window &window = reader.window;
  int64_t channels = window.groupChannels, pixels = window.pixels();
  int64_t lanes = lanesDividing(window, e.tier.lanes(8 * elementBytes(format.unit)));
  if (lanes < 4)
    lanes = 1;
  Value last = e.index(window.taps() * channels - lanes);
  auto read = [&](Value number, Value pixel) {
    Value tap = e.div(number, channels);
    Patch patch = reader.patchAt(e, reader.pixelAt(e, pixel), tap, group);
    Value at = e.add(patch.start, e.mul(e.rem(number, channels), window.channelStride()));
    return readImage(e, reader, patch.inside, at, lanes, format);
  };
  auto copy = [&](Value i, Value j) {
    Value number = e.min(e.add(line, i), last), pixel = e.mul(e.add(k, j), format.depth);
    Value units = read(number, pixel);
    if (format.depth == 2) {
      Value next = e.min(e.add(pixel, 1), e.index(pixels - 1)), odd = read(number, next);
      if (pixels % 2) {
        Value isPaired = e.less(pixel, e.index(pixels - 1));
        odd = arith::SelectOp::create(e.b, e.loc, isPaired, odd, e.constant(odd.getType(), 0));
      }
      units = interleave(e, units, odd);
    }
    storeUnits(e, units, panel, e.add(e.mul(j, layout.depthStride), i), format);
  };
  e.loop(e.index(0), points, 1, [&](Value j) {
    if (lanes == 1)
      return e.loop(e.index(0), e.index(count), 1, [&](Value i) { copy(i, j); });
    for (int64_t i = 0; i < count; i += lanes)
      copy(e.index(i), j);
  });
}
