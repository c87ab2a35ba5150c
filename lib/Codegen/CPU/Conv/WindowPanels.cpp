// Tiles of neighbouring pixels that share the packed image rows under their windows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Conv/WindowPanels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

constexpr int64_t panelBytes = 16 << 10; // for several window rows: half of L1

WindowTile::Pixel WindowTile::pixelAt(KernelEmitter &e, const Window &window, Value line) const {
  Value number = e.div(line, rows()), i = e.rem(line, rows());
  Value column = e.rem(number, columns), rest = e.div(number, columns);
  Pixel pixel;
  pixel.y = e.rem(rest, window.outHeight);
  pixel.image = e.add(e.mul(e.div(rest, window.outHeight), images), e.div(i, width));
  pixel.x = e.add(e.mul(column, width), e.rem(i, width));
  auto require = [&](Value condition) {
    pixel.inside = pixel.inside
                       ? arith::AndIOp::create(e.b, e.loc, pixel.inside, condition).getResult()
                       : condition;
  };
  if (window.outWidth % width)
    require(e.less(pixel.x, e.index(window.outWidth)));
  if (window.images % images)
    require(e.less(pixel.image, e.index(window.images)));
  return pixel;
}

namespace {
/// Tile of pixels and the register tile that holds the sums of its pixels.
struct TileChoice {
  WindowTile pixels;
  MicroTile tile;
};
} // namespace

/// Fewest cycles over all panels; among tiles within 3 %, the tallest, which reads B the least.
static TileChoice chooseTile(const Window &window, const ProductShape &shape, const Tier &tier) {
  TileChoice choice = {WindowTile(), MicroTile(shape, tier)};
  double best = 0;
  auto consider = [&](WindowTile pixels, int64_t vectors) {
    pixels.columns = ceilDiv(window.outWidth, pixels.width);
    pixels.imageGroups = ceilDiv(window.images, pixels.images);
    int64_t tiles = pixels.panels(window) * ceilDiv(shape.n, vectors * choice.tile.width);
    double cycles = double(tiles) * tileCycles(pixels.rows(), vectors);
    if (best && cycles >= 0.97 * best)
      return;
    best = cycles;
    choice.pixels = pixels;
    choice.tile.rows = pixels.rows();
    choice.tile.vectors = vectors;
  };
  for (int64_t vectors : {2, 1, 3, 4}) {
    if (shape.packedRhs && vectors != packedVectors(shape, choice.tile))
      continue;
    int64_t most = mostTileRows(vectors, tier);
    for (int64_t images = most / window.outWidth; images >= 1; --images)
      consider({window.outWidth, std::min(images, window.images), 0, 0}, vectors);
    for (int64_t width = std::min(most, window.outWidth); width >= 1; --width)
      consider({width, 1, 0, 0}, vectors);
  }
  return choice;
}

/// Points of a window row.
static int64_t runOf(const Window &window, const ProductShape &shape, const Tier &tier) {
  int64_t depth = PanelFormat::of(chooseMultiply(shape, tier), shape.acc).depth;
  return window.kernel[1] * window.groupChannels / depth;
}

/// Whether windows overlap, and vectors read whole units of their rows.
static bool hasRuns(const Window &window, const ProductShape &shape, const Tier &tier) {
  int64_t depth = PanelFormat::of(chooseMultiply(shape, tier), shape.acc).depth;
  bool overlaps = window.taps() > 1 && window.strides[1] <= window.kernel[1] &&
                  (window.dilations[1] == 1 || window.kernel[1] == 1);
  bool dilated = window.inputDilations[0] * window.inputDilations[1] > 1;
  return !MicroTile(shape, tier).usesTiles() && overlaps && !dilated && !window.channelsFirst &&
         window.groupChannels % (4 * depth) == 0;
}

std::optional<WindowBlocking> WindowBlocking::choose(const Window &window, ProductShape shape,
                                                     const Tier &tier) {
  if (!hasRuns(window, shape, tier))
    return std::nullopt;
  auto [pixels, tile] = chooseTile(window, shape, tier);
  int64_t height = pixels.panels(window) * tile.rows;
  if (double(height) > 1.1 * double(shape.m))
    return std::nullopt;
  shape.m = height;
  int64_t depth = PanelFormat::of(chooseMultiply(shape, tier), shape.acc).depth;
  int64_t run = runOf(window, shape, tier);
  int64_t line =
      ((pixels.width - 1) * window.strides[1] + window.kernel[1]) * window.groupChannels / depth;
  int64_t rows = panelBytes / (pixels.images * line * elementBytes(shape.acc));
  rows = ceilDiv(window.kernel[0], ceilDiv(window.kernel[0], std::max<int64_t>(rows, 1)));
  KBlocks k(window.kernel[0] * run, rows * run);
  return WindowBlocking{pixels, shape,
                        Blocking(shape, tile, LhsFeedKind::Runs, chooseRhsFeed(shape, tile), k)};
}

std::optional<WindowBlocking> WindowBlocking::by(kernel::BlockingAttr plan, const Window &window,
                                                 ProductShape shape, const Tier &tier,
                                                 std::string &why) {
  WindowTile pixels{plan.getPixels()[0], plan.getPixels()[1], 0, 0};
  pixels.columns = ceilDiv(window.outWidth, pixels.width);
  pixels.imageGroups = ceilDiv(window.images, pixels.images);
  bool fits = pixels.width <= window.outWidth && pixels.images <= window.images &&
              (pixels.images == 1 || pixels.width == window.outWidth);
  MicroTile tile(shape, tier);
  tile.rows = plan.getRows();
  tile.vectors = plan.getColumns() / tile.width;
  shape.m = pixels.panels(window) * tile.rows;
  KBlocks k(window.kernel[0] * runOf(window, shape, tier), plan.getDepth());
  if (!hasRuns(window, shape, tier))
    why = "the left side does not allow this feed";
  else if (!fits)
    why = "pixels are neighbours in a row of an image, or whole rows of several";
  else if (const char *reason = whyNoCode(plan, shape, tile, tier))
    why = reason;
  else if (k.depth % runOf(window, shape, tier) || k.depth > k.points)
    why = "blocks of k are whole rows of the window";
  else
    return WindowBlocking{pixels, shape, Blocking(shape, tile, k, plan)};
  return std::nullopt;
}

int64_t WindowLines::columns() const {
  return (tile.width - 1) * reader.window.strides[1] + reader.window.kernel[1];
}

PanelLayout WindowLines::layout(int64_t lines, int64_t depth) const {
  const Window &window = reader.window;
  PanelLayout layout = {window.strides[1] * perPixel, 1};
  layout.runPoints = window.kernel[1] * perPixel;
  layout.linesPerSegment = tile.width;
  layout.segmentStride = columns() * perPixel;
  layout.runStride = tile.images * layout.segmentStride;
  return layout;
}

std::pair<Value, Value> WindowLines::runsOf(KernelEmitter &e, Value line, Value k, Value depth) {
  const Window &window = reader.window;
  int64_t points = window.kernel[1] * perPixel, dilation = window.dilations[0];
  Value first = e.div(k, points), count = e.div(depth, points);
  Value y = e.add(e.mul(tile.pixelAt(e, window, line).y, window.strides[0]), -window.padding[0]);
  Value above = e.max(e.sub(e.index(0), y), e.index(0)),
        below = e.max(e.sub(e.index(window.height - 1 + dilation), y), e.index(0));
  Value low = e.div(e.add(above, dilation - 1), dilation), high = e.div(below, dilation);
  return {e.max(e.sub(low, first), e.index(0)), e.min(e.sub(high, first), count)};
}

/// Packs the channels of one pixel, or zeros.
void WindowLines::packPixel(KernelEmitter &e, Value start, Value inside, Value to,
                            const PanelFormat &format) {
  int64_t channels = reader.window.groupChannels;
  int64_t width = e.tier.lanes(8 * elementBytes(format.unit)) * format.depth;
  while (channels % width)
    width /= 2;
  e.loop(e.index(0), e.index(channels), width, [&](Value c) {
    Value x = readImage(e, reader, inside, e.add(start, c), width, format);
    e.store(x, to, c);
  });
}

void WindowLines::pack(KernelEmitter &e, Value line, int64_t count, Value k, Value points,
                       Value panel, PanelLayout layout, const PanelFormat &format) {
  const Window &window = reader.window;
  std::pair<Value, Value> runs = runsOf(e, line, k, points);
  Value first = e.div(k, layout.runPoints);
  WindowTile::Pixel pixel = tile.pixelAt(e, window, line);
  Value x0 = e.add(e.mul(pixel.x, window.strides[1]), -window.padding[1]);
  Value y0 = e.add(e.mul(pixel.y, window.strides[0]), -window.padding[0]);
  Value image0 = pixel.image;
  e.loop(runs.first, runs.second, 1, [&](Value run) {
    Value y = e.add(y0, e.mul(e.add(first, run), window.dilations[0]));
    for (int64_t i = 0; i < tile.images; ++i) {
      Value image = e.min(e.add(image0, i), e.index(window.images - 1));
      Value row =
          e.add(e.mul(e.add(e.mul(image, window.height), y), window.width * window.channels),
                e.mul(group, window.groupChannels));
      Value to = e.add(e.mul(run, layout.runStride), i * layout.segmentStride);
      e.loop(e.index(0), e.index(columns()), 1, [&](Value j) {
        Value x = e.add(x0, j);
        Value inside =
            arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ult, x, e.index(window.width));
        x = e.max(e.index(0), e.min(x, e.index(window.width - 1)));
        Value start = e.add(row, e.mul(x, window.channels));
        packPixel(e, start, inside, e.address(panel, format.unit, e.add(to, e.mul(j, perPixel))),
                  format);
      });
    }
  });
}
