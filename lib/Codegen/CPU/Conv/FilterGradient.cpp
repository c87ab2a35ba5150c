// Filter gradient on vectors: blocks of pixels, packed or in place, and register tiles that sum
// over the pixels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Conv/FilterGradient.h"
#include "lib/Codegen/CPU/Product/ProductEmitter.h"
#include "lib/Codegen/CPU/Product/RegisterTile.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

constexpr int64_t blockPoints = 256;     // pixels between two loads and stores of the sums
constexpr int64_t sumsBytes = 640 << 10; // of a task's sums, which stay in L2
constexpr int64_t wantedTasks = 16;

/// Window of the gathered image: one tap of (tap, channel) channels per output pixel. Example: 3x3
/// taps of 3 channels -> 1x1 taps of 27 channels.
static Window gathered(const Window &image) {
  Window window = image;
  window.groupChannels = image.taps() * image.groupChannels;
  window.channels = image.groups * window.groupChannels;
  window.channelsFirst = false;
  window.height = image.outHeight;
  window.width = image.outWidth;
  for (unsigned axis : {0, 1}) {
    window.kernel[axis] = window.strides[axis] = window.dilations[axis] = 1;
    window.padding[axis] = 0;
  }
  return window;
}

/// Gathers if vector products per pixel plus copies are fewer than products with channels in
/// vectors.
bool FilterBlocking::gathersWindows(const Window &image, const ProductShape &shape,
                                    const Tier &tier) {
  int64_t width = tier.lanes(8 * elementBytes(shape.acc)), channels = image.groupChannels;
  int64_t outputs = std::max<int64_t>(shape.m, 8);
  int64_t walked = outputs * image.taps() * ceilDiv(channels, width);
  int64_t copies = image.kernel[0] * ceilDiv(image.kernel[1] * channels, width);
  return channels < width && outputs * ceilDiv(shape.n, width) + 2 * copies < walked;
}

/// Falls back from AMX to the vector instructions on the same packed elements.
static Multiply withoutTiles(Multiply multiply) {
  if (multiply == Multiply::Tiles)
    return Multiply::Pairs;
  bool isOnF16 = multiply == Multiply::HalfTiles || multiply == Multiply::SplitTiles;
  return isOnF16 ? Multiply::Wide : multiply;
}

FilterBlocking::FilterBlocking(const Window &image, const ProductShape &shape, int64_t parts,
                               const Tier &tier, bool gathers)
    : gathers(gathers), window(gathers ? gathered(image) : image),
      multiply(withoutTiles(chooseMultiply(shape, tier))),
      depth(PanelFormat::of(multiply, shape.acc, 0).depth),
      width(tier.lanes(8 * elementBytes(shape.acc))), imageUnits(ceilDiv(window.images, depth)),
      partUnits(ceilDiv(imageUnits, parts)) {
  groups = window.groups;
  this->parts = parts;
}

/// Register tile with the fewest cycles over all panels, since partly filled panels cost full
/// cycles; among tiles within 3 %, the tallest, which reloads the image least.
void FilterBlocking::chooseTile(const ProductShape &shape, const Tier &tier) {
  int64_t registers = tier.hasFMA() ? tier.vectorRegisters * 3 / 4 : tier.vectorRegisters / 2;
  double best = 0;
  for (int64_t tileVectors : {2, 1})
    for (int64_t tileRows = registers / tileVectors;
         tileRows >= std::max<int64_t>(1, registers / tileVectors / 2); --tileRows) {
      int64_t panels =
          ceilDiv(shape.m, tileRows) * ceilDiv(window.groupChannels, tileVectors * width);
      double cycles = double(panels) * std::max<int64_t>(tileRows * tileVectors, 8);
      if (best && cycles >= 0.97 * best)
        continue;
      best = cycles;
      rows = tileRows;
      vectors = tileVectors;
    }
}
void FilterBlocking::cutPanels(const ProductShape &shape) {
  mPanels = ceilDiv(shape.m, rows);
  cPanels = ceilDiv(window.groupChannels, columns());
}
/// Sizes that follow from the tile and the block.
void FilterBlocking::layOut(const Window &image, const ProductShape &shape) {
  imageRows = std::min(window.height, (blockRows - 1) * window.strides[0] +
                                          (window.kernel[0] - 1) * window.dilations[0] + 1);
  inPlace = !gathers && depth == 1 && shape.lhs == shape.acc && shape.rhs == shape.acc &&
            !image.channelsFirst && shape.m % rows == 0 && window.groupChannels % columns() == 0;
  windowRows = (blockRows - 1) * image.strides[0] + (image.kernel[0] - 1) * image.dilations[0] + 1;
  rowUnits = image.groupChannels * ((window.outWidth - 1) * image.strides[1] +
                                    (image.kernel[1] - 1) * image.dilations[1] + 1);
}

FilterBlocking FilterBlocking::choose(const Window &image, const ProductShape &shape, int64_t parts,
                                      const Tier &tier) {
  FilterBlocking blocking(image, shape, parts, tier, gathersWindows(image, shape, tier));
  const Window &window = blocking.window;
  blocking.chooseTile(shape, tier);
  blocking.cutPanels(shape);
  blocking.blockRows = std::clamp<int64_t>(blockPoints / window.outWidth, 1, window.outHeight);
  blocking.blockUnits = std::clamp<int64_t>(blockPoints / (window.outWidth * window.outHeight), 1,
                                            blocking.partUnits);
  blocking.layOut(image, shape);
  int64_t tileBytes = blocking.rows * blocking.columns() * elementBytes(shape.acc);
  int64_t mostTiles = sumsBytes / (tileBytes * window.taps());
  // A gathered window serves all taps, so tasks over few channels would repeat the gather.
  int64_t leastC = blocking.gathers ? blocking.cPanels : 1,
          leastM = std::max<int64_t>(1, 32 / blocking.rows);
  blocking.cut(shape, wantedTasks, mostTiles, mostTiles, leastM, leastC);
  return blocking;
}

std::optional<FilterBlocking> FilterBlocking::by(kernel::FilterBlockingAttr plan,
                                                 const Window &image, const ProductShape &shape,
                                                 int64_t parts, const Tier &tier,
                                                 std::string &why) {
  FilterBlocking blocking(image, shape, parts, tier, plan.getKind() == kernel::FilterKind::windows);
  blocking.rows = plan.getTile()[0];
  blocking.vectors = plan.getTile()[1] / blocking.width;
  if (blocking.columns() != plan.getTile()[1] || !blocking.vectors ||
      blocking.rows * blocking.vectors > tier.vectorRegisters) {
    why = "the tier has no register tile of this shape";
    return std::nullopt;
  }
  blocking.cutPanels(shape);
  blocking.blockRows = plan.getBlock()[0];
  blocking.blockUnits = plan.getBlock()[1];
  int64_t height = blocking.window.outHeight;
  if (blocking.blockRows > height || blocking.blockUnits > blocking.partUnits ||
      (blocking.blockUnits > 1 && blocking.blockRows < height)) {
    why = "a block is rows of an image, or all rows of several images of a part";
    return std::nullopt;
  }
  if (!blocking.hasTask(plan.getTask())) {
    why = "a task has at most all panels";
    return std::nullopt;
  }
  blocking.layOut(image, shape);
  blocking.cutTo(plan.getTask()[0], plan.getTask()[1]);
  return blocking;
}

kernel::FilterBlockingAttr FilterBlocking::attribute(MLIRContext *context, const Tier &tier) const {
  return kernel::FilterBlockingAttr::get(
      context, tier.name, gathers ? kernel::FilterKind::windows : kernel::FilterKind::pixels,
      {rows, columns()}, {blockRows, blockUnits}, {mStep, cStep});
}

FilterGradientEmitter::FilterGradientEmitter(KernelEmitter &e, const Window &source,
                                             const ProductShape &shape,
                                             const FilterBlocking &blocking, Value image,
                                             Value cotangent)
    : e(e), source(source), window(blocking.window), shape(shape), blocking(blocking),
      format(PanelFormat::of(blocking.multiply, shape.acc, 0)) {
  auto side = [&](Value pointer, Type element, int64_t height, int64_t width, int64_t channels,
                  int64_t lines, int64_t rows) {
    Side s;
    s.pointer = pointer;
    s.element = element;
    s.height = height;
    s.width = width;
    s.channels = channels * window.groups;
    s.groupChannels = channels;
    s.columnStride = s.channels;
    s.lines = lines;
    s.pixel = blocking.inPlace ? s.channels : lines;
    s.row = width * s.pixel;
    s.image = (blocking.inPlace ? height : rows) * s.row;
    s.panel = blocking.inPlace ? 0 : blocking.blockUnits * s.image;
    return s;
  };
  this->cotangent = side(cotangent, shape.rhs, window.outHeight, window.outWidth, shape.m,
                         blocking.rows, blocking.blockRows);
  this->image = side(image, shape.lhs, source.height, source.width, source.groupChannels,
                     blocking.columns(), blocking.imageRows);
  this->image.columnStride = source.columnStride();
  this->image.channelStride = source.channelStride();
  if (!blocking.gathers)
    return;
  // Gathered layout: the panels of a pixel are adjacent.
  this->image.panel = this->image.lines;
  this->image.pixel = blocking.cPanels * this->image.lines;
  this->image.row = window.width * this->image.pixel;
  this->image.image = blocking.blockRows * this->image.row;
}

namespace {
/// Sizes of a thread's scratch, in units. Windows are gathered in whole vectors, which read and
/// write past the end of a row.
struct FilterScratch {
  int64_t sums, cotangent = 0, image = 0, rows = 0;

  explicit FilterScratch(const FilterBlocking &blocking) {
    const Window &window = blocking.window;
    int64_t rowPixels = blocking.blockUnits * window.width;
    sums = blocking.mStep * blocking.cStep * window.taps() * blocking.rows * blocking.columns();
    if (blocking.inPlace)
      return;
    cotangent =
        blocking.mStep * blocking.rows * blocking.blockUnits * blocking.blockRows * window.outWidth;
    image = blocking.cStep * blocking.columns() * rowPixels * blocking.imageRows;
    if (!blocking.gathers)
      return;
    image = blocking.cPanels * blocking.columns() * rowPixels * blocking.blockRows + blocking.width;
    rows = blocking.windowRows * blocking.rowUnits + blocking.width;
  }
};
} // namespace

int64_t FilterGradientEmitter::scratchBytes(const ProductShape &shape,
                                            const FilterBlocking &blocking) {
  FilterScratch scratch(blocking);
  int64_t bytes = 0;
  for (int64_t units : {scratch.sums, scratch.cotangent, scratch.image, scratch.rows})
    bytes += alignUp(units * elementBytes(shape.acc));
  return bytes;
}

void FilterGradientEmitter::emit(Value begin, Value end, Value scratch, Epilogue epilogue,
                                 FusedReductions *reductions) {
  FilterScratch layout(blocking);
  auto behind = [&](Value start, int64_t units) {
    return e.offset(start, alignUp(units * elementBytes(shape.acc)));
  };
  sums = scratch;
  cotangent.packed = behind(sums, layout.sums);
  image.packed = behind(cotangent.packed, layout.cotangent);
  rows = behind(image.packed, layout.image);
  e.loop(begin, end, 1, [&](Value number) {
    Task task = blocking.locate(e, number);
    if (reductions)
      reductions->begin(number);
    clearSums();
    Value from = e.mul(task.part, blocking.partUnits);
    Value until = e.min(e.add(from, blocking.partUnits), e.index(blocking.imageUnits));
    e.loop(from, until, blocking.blockUnits, [&](Value unit) {
      Value unitEnd = e.min(e.add(unit, blocking.blockUnits), until);
      e.loop(e.index(0), e.index(window.outHeight), blocking.blockRows, [&](Value y) {
        Value yEnd = e.min(e.add(y, blocking.blockRows), e.index(window.outHeight));
        emitBlock(task, {unit, unitEnd, y, yEnd, Value()});
      });
    });
    emitEpilogue(task, epilogue);
    if (reductions)
      reductions->end(number);
  });
}

void FilterGradientEmitter::clearSums() {
  Value zeros = e.constant(e.vectorOf(shape.acc, blocking.width), 0);
  e.loop(e.index(0), e.index(FilterScratch(blocking).sums), blocking.width,
         [&](Value at) { e.store(zeros, sums, at); });
}

void FilterGradientEmitter::emitBlock(const Task &task, const Block &rows) {
  Block block = rows;
  // Image rows from the first tap of the block's first output row to the last tap of the last
  // output row.
  Value first = e.add(e.mul(block.y, window.strides[0]), -window.padding[0]);
  Value last = e.add(e.mul(e.add(block.yEnd, -1), window.strides[0]),
                     (window.kernel[0] - 1) * window.dilations[0] - window.padding[0] + 1);
  block.imageRow = e.max(first, e.index(0));
  if (!blocking.inPlace)
    packSide(cotangent, task, block, task.m, task.mEnd, block.y, block.yEnd);
  if (blocking.gathers)
    gatherWindows(task, block);
  else if (!blocking.inPlace)
    packSide(image, task, block, task.c, task.cEnd, block.imageRow,
             e.min(last, e.index(window.height)));
  e.loop(task.c, task.cEnd, 1, [&](Value c) {
    e.loop(e.index(0), e.index(window.taps()), 1, [&](Value tap) {
      e.loop(task.m, task.mEnd, 1, [&](Value m) { emitTile(task, block, c, tap, m); });
    });
  });
}

void FilterGradientEmitter::packSide(const Side &side, const Task &task, const Block &block,
                                     Value first, Value end, Value row, Value rowEnd) {
  int64_t whole = side.groupChannels / side.lines, edge = side.groupChannels % side.lines;
  auto pack = [&](Value panel, int64_t active) {
    Value start = e.add(e.mul(task.group, side.groupChannels), e.mul(panel, side.lines));
    Value to = e.address(side.packed, format.unit, e.mul(e.sub(panel, first), side.panel));
    packPanel(side, start, to, block, row, rowEnd, active);
  };
  if (whole)
    e.loop(first, e.min(end, e.index(whole)), 1, [&](Value panel) { pack(panel, side.lines); });
  if (edge)
    e.when(e.less(e.index(whole), end), [&] { pack(e.index(whole), edge); });
}

/// Packs `active` channels from `start` on, of the pixels in the block.
void FilterGradientEmitter::packPanel(const Side &side, Value start, Value panel,
                                      const Block &block, Value row, Value rowEnd, int64_t active) {
  e.loop(block.unit, block.unitEnd, 1, [&](Value unit) {
    e.loop(row, rowEnd, 1, [&](Value y) {
      Value from = e.mul(unit, format.depth * side.height * side.width * side.channels);
      from = e.add(
          from, e.add(e.mul(y, side.width * side.columnStride), e.mul(start, side.channelStride)));
      Value to = e.add(e.mul(e.sub(unit, block.unit), side.image), e.mul(e.sub(y, row), side.row));
      e.loop(e.index(0), e.index(side.width), 1, [&](Value x) {
        for (int64_t done = 0; done < active;) {
          int64_t lanes = side.channelStride == 1 ? blocking.width : 1;
          while (lanes > side.lines - done)
            lanes /= 2;
          Value at = e.add(e.add(from, e.mul(x, side.columnStride)), done * side.channelStride);
          Value units = readUnits(side, unit, at, lanes, std::min(lanes, active - done));
          e.store(units, panel, e.add(e.add(to, e.mul(x, side.pixel)), done));
          done += lanes;
        }
      });
    });
  });
}

Value FilterGradientEmitter::readUnits(const Side &side, Value unit, Value at, int64_t lanes,
                                       int64_t active) {
  if (format.depth == 1)
    return widen(e, e.loadVector(side.pointer, side.element, at, lanes, active), format.unit);
  Type number = e.b.getIntegerType(16);
  Value even = e.loadVector(side.pointer, number, at, lanes, active);
  Value next = e.add(at, side.height * side.width * side.channels);
  if (window.images % 2 == 0)
    return interleave(e, even, e.loadVector(side.pointer, number, next, lanes, active));
  Value isPaired = e.less(e.add(e.mul(unit, 2), 1), e.index(window.images));
  next = arith::SelectOp::create(e.b, e.loc, isPaired, next, at);
  Value odd = e.loadVector(side.pointer, number, next, lanes, active);
  odd = arith::SelectOp::create(e.b, e.loc, isPaired, odd, e.constant(odd.getType(), 0));
  return interleave(e, even, odd);
}

/// Address of a panel at the block's first pixel.
Value FilterGradientEmitter::startOf(const Side &side, const Task &task, Value panel, Value first) {
  if (!blocking.inPlace)
    return e.address(side.packed, format.unit, e.mul(e.sub(panel, first), side.panel));
  Value channel = e.add(e.mul(task.group, side.groupChannels), e.mul(panel, side.lines));
  return e.address(side.pointer, format.unit, channel);
}

/// Output rows (axis 0) or columns (axis 1) whose tap lies in the image.
FilterGradientEmitter::Range FilterGradientEmitter::validRange(Value tap, unsigned axis) {
  int64_t stride = window.strides[axis], size = axis == 0 ? window.height : window.width;
  int64_t length = axis == 0 ? window.outHeight : window.outWidth;
  Value reach = e.mul(tap, window.dilations[axis]);
  Value low = e.max(e.sub(e.index(window.padding[axis]), reach), e.index(0));
  Value high = e.max(e.sub(e.index(size - 1 + window.padding[axis] + stride), reach), e.index(0));
  return {e.div(e.add(low, stride - 1), stride), e.min(e.div(high, stride), e.index(length))};
}

Value FilterGradientEmitter::sumsOf(const Task &task, Value c, Value tap, Value m) {
  Value number = e.add(e.mul(e.sub(c, task.c), window.taps()), tap);
  number = e.add(e.mul(number, blocking.mStep), e.sub(m, task.m));
  return e.address(sums, shape.acc, e.mul(number, blocking.rows * blocking.columns()));
}

void FilterGradientEmitter::emitTile(const Task &task, const Block &block, Value c, Value tap,
                                     Value m) {
  int64_t rows = blocking.rows, vectors = blocking.vectors, width = blocking.width;
  Value ky = e.div(tap, window.kernel[1]), kx = e.rem(tap, window.kernel[1]);
  Range validY = validRange(ky, 0), validX = validRange(kx, 1);
  Value yLow = e.max(validY.low, block.y), yHigh = e.min(validY.high, block.yEnd);
  Value unit0 = blocking.inPlace ? e.index(0) : block.unit;
  Value row0 = blocking.inPlace ? e.index(0) : block.y;
  Value imageRow0 = blocking.inPlace ? e.index(0) : block.imageRow;
  Value a = startOf(cotangent, task, m, task.m);
  Value b = startOf(image, task, c, blocking.gathers ? e.index(0) : task.c);
  Value column0 = e.add(e.mul(kx, window.dilations[1]), -window.padding[1]);
  Value tile = sumsOf(task, c, tap, m);
  SmallVector<Value> sum;
  for (int64_t i = 0; i < rows * vectors; ++i)
    sum.push_back(e.loadVector(tile, shape.acc, e.index(i * width), width));
  sum = e.loop(block.unit, block.unitEnd, 1, sum, [&](Value unit, ValueRange inUnit) {
    Value u = e.sub(unit, unit0);
    return e.loop(yLow, yHigh, 1, inUnit, [&](Value y, ValueRange inRow) {
      Value imageY = e.add(e.mul(y, window.strides[0]),
                           e.add(e.mul(ky, window.dilations[0]), -window.padding[0]));
      Value left = e.add(e.mul(u, cotangent.image), e.mul(e.sub(y, row0), cotangent.row));
      Value right = e.add(e.mul(u, image.image), e.mul(e.sub(imageY, imageRow0), image.row));
      Value aRow = e.address(a, format.unit, left);
      Value bRow = e.address(b, format.unit, e.add(right, e.mul(column0, image.pixel)));
      return e.loop(validX.low, validX.high, 1, inRow, [&](Value x, ValueRange in) {
        SmallVector<Value> values, next;
        for (int64_t v = 0; v < vectors; ++v)
          values.push_back(e.loadVector(bRow, format.unit,
                                        e.add(e.mul(x, window.strides[1] * image.pixel), v * width),
                                        width));
        for (int64_t i = 0; i < rows; ++i) {
          Value g = e.loadScalar(aRow, format.unit, e.add(e.mul(x, cotangent.pixel), i));
          g = e.broadcast(g, width);
          for (int64_t v = 0; v < vectors; ++v)
            next.push_back(multiplyAdd(e, blocking.multiply, g, values[v], in[i * vectors + v]));
        }
        return next;
      });
    });
  });
  for (int64_t i = 0; i < rows * vectors; ++i)
    e.store(sum[i], tile, e.index(i * width));
}

void FilterGradientEmitter::emitEpilogue(const Task &task, Epilogue epilogue) {
  int64_t columns = blocking.columns(), width = blocking.width, rows = blocking.rows;
  int64_t channels = window.groupChannels, whole = channels / columns, edge = channels % columns;
  auto emitPanel = [&](Value c, int64_t active) {
    e.loop(e.index(0), e.index(window.taps()), 1, [&](Value tap) {
      Value position = e.add(e.mul(tap, channels), e.mul(c, columns));
      e.loop(task.m, task.mEnd, 1, [&](Value m) {
        Value tile = sumsOf(task, c, tap, m), row0 = e.mul(m, rows);
        Value count = e.min(e.index(rows), e.sub(e.index(shape.m), row0));
        e.loop(e.index(0), count, 1, [&](Value row) {
          Value output = e.add(e.mul(task.group, shape.m), e.add(row0, row));
          for (int64_t j = 0; j < active; j += width) {
            Value sum = e.loadVector(tile, shape.acc, e.add(e.mul(row, columns), j), width);
            epilogue(task.part, output, e.add(position, j), std::min(width, active - j), sum);
          }
        });
      });
    });
  };
  if (whole)
    e.loop(task.c, e.min(task.cEnd, e.index(whole)), 1, [&](Value c) { emitPanel(c, columns); });
  if (edge)
    e.when(e.less(e.index(whole), task.cEnd), [&] { emitPanel(e.index(whole), edge); });
}
