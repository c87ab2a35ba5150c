// Image windows copied into panels; padding becomes zeros.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Conv/ImagePanels.h"
#include "lib/Codegen/CPU/Loops.h"
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

/// Image row (column) of a tap, clamped into the image; clears `inside` in padding and dilation
/// gaps.
Value PatchReader::along(KernelEmitter &e, Value start, Value tap, unsigned axis, int64_t size,
                         Value &inside) const {
  Value at = e.add(start, e.mul(tap, window.dilations[axis]));
  auto require = [&](Value condition) {
    inside = inside ? e.b.createOrFold<arith::AndIOp>(e.loc, inside, condition) : condition;
  };
  int64_t spread = window.inputDilations[axis];
  // One unsigned comparison checks both ends.
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

static bool isMatrix(const Window &window) {
  auto all = [](const int64_t (&numbers)[2], int64_t number) {
    return numbers[0] == number && numbers[1] == number;
  };
  return all(window.kernel, 1) && all(window.strides, 1) && all(window.padding, 0) &&
         all(window.inputDilations, 1) && window.groups == 1 && !window.channelsFirst &&
         window.outHeight == window.height && window.outWidth == window.width;
}
std::unique_ptr<PanelSource> ampc::cpu::linesOfPixels(const PatchReader &reader) {
  const Window &window = reader.window;
  if (!isMatrix(window))
    return std::make_unique<PixelLines>(reader);
  auto lines = std::make_unique<StridedSource>();
  lines->pointer = reader.pointer;
  lines->element = reader.element;
  lines->lines = window.pixels();
  lines->depth = lines->lineStride = window.channels;
  lines->depthStride = 1;
  return lines;
}

PanelLayout PixelLines::layout(int64_t lines, int64_t depth) const { return paddedLines(depth); }

/// Widest vector that divides a tap's channels; 1 if channels are not contiguous.
static int64_t lanesDividing(const Window &window, int64_t width) {
  if (window.channelsFirst)
    return 1;
  while (window.groupChannels % width)
    width /= 2;
  return width;
}

Value ampc::cpu::readImage(KernelEmitter &e, const PatchReader &reader, Value inside, Value at,
                           int64_t lanes, const PanelFormat &format, int64_t active) {
  Type element = format.depth == 1 ? reader.element : e.b.getIntegerType(16);
  Value x = e.loadVector(reader.pointer, element, at, lanes, active);
  if (format.depth == 1)
    x = widen(e, x, format.unit);
  return arith::SelectOp::create(e.b, e.loc, inside, x, e.constant(x.getType(), 0));
}

namespace {
/// Packs one line of an A panel: the window of one output pixel. Positions count elements of k; a
/// VNNI pair is two neighbours in memory.
struct PixelLine {
  KernelEmitter &e;
  const PatchReader &reader;
  const PanelFormat &format;
  Value group, panel, k, end; // range of k to pack: [k, end)
  PatchReader::Pixel pixel;
  Value origin; // position of k = 0
  int64_t width;

  bool rowsAreRuns() const;
  void copyTaps(Value from, Value until) const {
    e.loop(from, until, 1, [&](Value tap) { copyTap(tap); });
  }
  void copyRows() const;
  void store(Value numbers, Value k) const {
    Value at = e.add(origin, k);
    format.depth == 1 ? e.store(numbers, panel, at) : storeAlongLine(e, numbers, panel, at, format);
  }

private:
  void copyTap(Value tap) const;
  void copyRun(Value row) const;
  Value isWholeRun(Value row) const;
  int64_t channels() const { return reader.window.groupChannels; }
  int64_t rowTaps() const { return reader.window.kernel[1]; }
};
} // namespace

void PixelLine::copyTap(Value tap) const {
  const Window &window = reader.window;
  Patch patch = reader.patchAt(e, pixel, tap, group);
  Value first = e.mul(tap, channels());
  Value c0 = e.max(e.index(0), e.sub(k, first)), c1 = e.min(e.index(channels()), e.sub(end, first));
  auto copy = [&](Value from, Value until, int64_t lanes) {
    e.loop(from, until, lanes, [&](Value c) {
      Value at = e.add(patch.start, e.mul(c, window.channelStride()));
      store(readImage(e, reader, patch.inside, at, lanes, format), e.add(first, c));
    });
  };
  // Blocks of k are multiples of a vector, so whole vectors suffice if the vector size divides the
  // channels.
  int64_t lanes = lanesDividing(window, width);
  if (lanes >= 4 || channels() < width || window.channelsFirst)
    return copy(c0, c1, lanes);
  Value whole = e.sub(c1, e.rem(e.sub(c1, c0), width));
  copy(c0, whole, width);
  copy(whole, c1, 1);
}

/// Whether a window row is contiguous in memory while a tap is less than a vector.
bool PixelLine::rowsAreRuns() const {
  const Window &window = reader.window;
  return channels() < width && window.columnStride() == channels() && !window.channelsFirst &&
         rowTaps() > 1 && rowTaps() <= window.width && window.dilations[1] == 1 &&
         window.inputDilations[1] == 1 && !format.secondPanel;
}

/// Whether all of the window row is packed and lies inside the image.
Value PixelLine::isWholeRun(Value row) const {
  int64_t run = rowTaps() * channels();
  Value first = e.mul(row, run);
  Value result = within(e, pixel.x, e.index(reader.window.width - rowTaps() + 1));
  for (Value holds : {e.less(e.add(k, -1), first), e.less(e.add(first, run - 1), end)})
    result = arith::AndIOp::create(e.b, e.loc, result, holds);
  return result;
}
void PixelLine::copyRun(Value row) const {
  Patch patch = reader.patchAt(e, pixel, e.mul(row, rowTaps()), group);
  Value to = e.add(origin, e.mul(row, rowTaps() * channels()));
  forVectors(e, rowTaps() * channels(), width, [&](Value j, int64_t active) {
    Value at = e.add(patch.start, j);
    e.store(readImage(e, reader, patch.inside, at, width, format, active), panel, e.add(to, j),
            active);
  });
}
void PixelLine::copyRows() const {
  int64_t taps = rowTaps(), run = taps * channels();
  Value firstTap = e.div(k, channels()), lastTap = e.div(e.add(end, channels() - 1), channels());
  e.loop(e.div(k, run), e.div(e.add(end, run - 1), run), 1, [&](Value row) {
    Value isWhole = isWholeRun(row);
    e.when(isWhole, [&] { copyRun(row); });
    Value isCut = arith::XOrIOp::create(e.b, e.loc, isWhole, e.constant(e.b.getI1Type(), 1));
    e.when(isCut, [&] {
      Value tap = e.mul(row, taps);
      copyTaps(e.max(tap, firstTap), e.min(e.add(tap, taps), lastTap));
    });
  });
}

void PixelLines::pack(KernelEmitter &e, Value line, int64_t count, Value firstPoint, Value points,
                      Value panel, PanelLayout layout, const PanelFormat &format) {
  const Window &window = reader.window;
  int64_t channels = window.groupChannels, depth = window.taps() * channels;
  int64_t width = e.tier.lanes(8 * elementBytes(format.unit)) * format.depth;
  Value k = e.mul(firstPoint, format.depth);
  Value end = e.add(k, e.mul(points, format.depth));
  if (depth % format.depth)
    end = e.min(end, e.index(depth));
  e.loop(e.index(0), e.index(count), 1, [&](Value i) {
    Value number = e.min(e.add(line, i), e.index(window.pixels() - 1));
    PatchReader::Pixel pixel = reader.pixelAt(e, number);
    Value origin = e.sub(e.mul(i, layout.lineStride * format.depth), k);
    PixelLine to{e, reader, format, group, panel, k, end, pixel, origin, width};
    if (to.rowsAreRuns())
      to.copyRows();
    else
      to.copyTaps(e.div(k, channels), e.div(e.add(end, channels - 1), channels));
    if (depth % format.depth)
      e.when(e.less(e.index(depth - 1), end),
             [&] { to.store(e.constant(e.b.getIntegerType(16), 0), e.index(depth)); });
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
