// Filter gradient on AMX: padded planes of pixels, and the tiles that sum over their points.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Conv/FilterTiles.h"
#include "lib/Codegen/CPU/Product/MatrixTiles.h"
#include "lib/Codegen/CPU/Product/Panels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <numeric>

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

static constexpr int64_t edge = 32, stepPoints = 16; // side of a C block; k of a tile step
// Points per block and per k chunk, measured on a core with AMX: panels of a block stay in L2,
// panels of a chunk in L1.
static constexpr int64_t wantedPoints = 512, runPoints = 256;
// Most points of a block of stacked images, which cannot be split.
static constexpr int64_t stackPoints = 1024;
static_assert(runPoints <= mostPointsWithoutSpare, "scratch has no room for a spare tile");
static constexpr int64_t sumsBytes = 1 << 20, planeBytes = 1 << 20; // per task
// Tasks over other channels pack the same cotangents again, so tasks are few.
static constexpr int64_t wantedTasks = 8;

static int64_t floorDiv(int64_t x, int64_t y) { return x >= 0 ? x / y : -ceilDiv(-x, y); }

/// Distance in image rows (columns) from an output's position to its tap, negative in the padding.
static int64_t reachOf(const Window &window, unsigned axis, int64_t tap) {
  return tap * window.dilations[axis] - window.padding[axis];
}

int64_t FilterTiles::phases(unsigned axis) const {
  int64_t stride = window.strides[axis], period = stride / std::gcd(stride, window.dilations[axis]);
  return std::min(window.kernel[axis], period);
}

int64_t FilterTiles::phaseStart(unsigned axis, int64_t number) const {
  int64_t reach = reachOf(window, axis, number), stride = window.strides[axis];
  return reach - floorDiv(reach, stride) * stride;
}

int64_t FilterTiles::size(unsigned axis) const {
  return ceilDiv(axis ? window.width : window.height, window.strides[axis]);
}

int64_t FilterTiles::reached(unsigned axis) const {
  int64_t sum = 0;
  for (int64_t tap = 0; tap < window.kernel[axis]; ++tap) {
    int64_t move = floorDiv(reachOf(window, axis, tap), window.strides[axis]);
    int64_t end = std::min(outputSize(axis), size(axis) - move);
    sum += std::max<int64_t>(0, end - std::max<int64_t>(0, -move));
  }
  return sum;
}

/// Size of the planes, and the distances by which taps shift points; includes the zero padding.
static void layOut(FilterTiles &tiles) {
  const Window &window = tiles.window;
  int64_t sizes[2];
  for (unsigned axis : {0, 1}) {
    int64_t stride = window.strides[axis];
    tiles.low[axis] = floorDiv(reachOf(window, axis, 0), stride);
    tiles.high[axis] = floorDiv(reachOf(window, axis, window.kernel[axis] - 1), stride);
    sizes[axis] = std::max(tiles.outputSize(axis) + std::max<int64_t>(0, tiles.high[axis]),
                           tiles.size(axis) + std::max<int64_t>(0, -tiles.low[axis]));
  }
  tiles.height = sizes[0];
  tiles.pitch = sizes[1];
}

/// Pairs of images per stack, in equal blocks of whole tile steps; 0 unless stacks need clearly
/// fewer products than planes.
int64_t FilterTiles::chooseStack() const {
  int64_t rows = std::max(outputSize(0), size(0)), columns = std::max(outputSize(1), size(1));
  int64_t most = std::min(runPoints / columns, stackPoints / (rows * columns));
  most = most / stepPoints * stepPoints;
  if (!most)
    return 0;
  int64_t blocks = ceilDiv(partPairs, most),
          chosen = roundUp(ceilDiv(partPairs, blocks), stepPoints);
  int64_t stacked = reached(0) * reached(1) * blocks * chosen;
  int64_t pixels = outputSize(0) * outputSize(1), terms = window.taps() * partPairs;
  bool isFewer = 10 * stacked < 9 * terms * pitch * height && 2 * stacked <= 3 * terms * pixels;
  return isFewer ? chosen : 0;
}

std::optional<FilterTiles> FilterTiles::of(const Window &window, const ProductShape &shape,
                                           int64_t parts, const Tier &tier) {
  FilterTiles tiles;
  tiles.window = window;
  tiles.outputs = shape.m;
  layOut(tiles);
  tiles.multiply = chooseMultiply(shape, tier);
  bool hasPairs = tiles.multiply == Multiply::Tiles || tiles.multiply == Multiply::HalfTiles;
  if (!hasPairs || shape.m % edge || window.groupChannels % edge || window.channelsFirst)
    return std::nullopt;
  tiles.pairs = ceilDiv(window.images, 2);
  tiles.groups = window.groups;
  tiles.parts = parts;
  tiles.partPairs = ceilDiv(tiles.pairs, parts);
  tiles.mPanels = tiles.outputs / edge;
  tiles.cPanels = window.groupChannels / edge;
  return tiles;
}

/// Blocks of `rows` of a plane, or of a stack.
void FilterTiles::cutBlocks(int64_t rows) {
  if (stack)
    pitch = std::max(window.outWidth, size(1)) * stack;
  blockRows = rows;
  blockPoints = roundUp(blockRows * pitch, stepPoints);
}

std::optional<FilterTiles> FilterTiles::choose(const Window &window, const ProductShape &shape,
                                               int64_t parts, const Tier &tier) {
  std::optional<FilterTiles> found = of(window, shape, parts, tier);
  if (!found)
    return std::nullopt;
  FilterTiles &tiles = *found;
  tiles.stack = tiles.chooseStack();
  bool isMostlyZeros =
      3 * tiles.outputSize(0) * tiles.outputSize(1) < 2 * tiles.pitch * tiles.height;
  if (!tiles.stack && (tiles.pitch > 4 * wantedPoints || isMostlyZeros))
    return std::nullopt;
  tiles.cutBlocks(tiles.stack ? window.outHeight
                              : std::clamp<int64_t>(wantedPoints / tiles.pitch, 1,
                                                    tiles.partPairs * tiles.height));
  int64_t most = std::max<int64_t>(1, sumsBytes / (4 * edge * edge * window.taps()));
  tiles.cut(shape, wantedTasks, most, std::min<int64_t>(most, 4), 1, 1);
  int64_t mostC = planeBytes / (4 * edge * tiles.phases() * tiles.planePoints());
  tiles.cutTo(tiles.mStep, std::min(tiles.cStep, mostC));
  return found;
}

std::optional<FilterTiles> FilterTiles::by(kernel::FilterBlockingAttr plan, const Window &window,
                                           const ProductShape &shape, int64_t parts,
                                           const Tier &tier, std::string &why) {
  std::optional<FilterTiles> tiles = of(window, shape, parts, tier);
  if (!tiles) {
    why = "there are no tiles for these channels";
    return std::nullopt;
  }
  bool isStack = plan.getKind() == kernel::FilterKind::stacks;
  int64_t rows = plan.getBlock()[0], pairs = plan.getBlock()[1];
  int64_t columns = std::max(tiles->outputSize(1), tiles->size(1));
  bool isGood = isStack ? rows == window.outHeight && pairs % stepPoints == 0 &&
                              pairs <= roundUp(tiles->partPairs, stepPoints) &&
                              columns * pairs <= runPoints
                        : rows <= tiles->partPairs * tiles->height && pairs == 1;
  if (!isGood) {
    why = isStack ? "a block of a stack is all rows of 16, 32, ... pairs whose rows have at most "
                    "256 points"
                  : "a block of planes is rows of a part by 1";
    return std::nullopt;
  }
  if (!tiles->hasTask(plan.getTask())) {
    why = "a task has at most all panels";
    return std::nullopt;
  }
  tiles->stack = isStack ? pairs : 0;
  tiles->cutBlocks(rows);
  tiles->cutTo(plan.getTask()[0], plan.getTask()[1]);
  return tiles;
}

kernel::FilterBlockingAttr FilterTiles::attribute(MLIRContext *context, const Tier &tier) const {
  return kernel::FilterBlockingAttr::get(
      context, tier.name, stack ? kernel::FilterKind::stacks : kernel::FilterKind::planes, {},
      {blockRows, stack ? stack : 1}, {mStep, cStep});
}

int64_t FilterTiles::planePoints() const {
  if (stack)
    return planeRows() * pitch;
  return lead() + planeRows() * pitch + std::max<int64_t>(0, high[1]) + stepPoints;
}

namespace {
/// Byte offsets in a thread's scratch.
struct TilesScratch {
  int64_t sums, turned, lines, planes, total = 0;

  explicit TilesScratch(const FilterTiles &tiles) {
    auto take = [&](int64_t units) {
      int64_t start = total;
      total += alignUp(4 * units);
      return start;
    };
    sums = take(tiles.mStep * tiles.cStep * tiles.window.taps() * edge * edge);
    turned = take(tiles.mStep * tiles.blockPoints * edge);
    lines = take(tiles.blockPoints * edge);
    planes = take(tiles.phases() * tiles.cStep * tiles.planePoints() * edge);
  }
};
} // namespace

int64_t FilterTiles::scratchBytes() const { return TilesScratch(*this).total; }

FilterTilesEmitter::FilterTilesEmitter(KernelEmitter &e, const FilterTiles &tiles, Value image,
                                       Value cotangent)
    : e(e), tiles(tiles), window(tiles.window), image(image), cotangent(cotangent) {}

int64_t FilterTilesEmitter::Pixels::count(unsigned axis) const {
  return ceilDiv((axis ? width : height) - start[axis], step[axis]);
}

void FilterTilesEmitter::emit(Value begin, Value end, Value scratch, Epilogue epilogue,
                              FusedReductions *reductions) {
  TilesScratch layout(tiles);
  sums = e.offset(scratch, layout.sums);
  turned = e.offset(scratch, layout.turned);
  lines = e.offset(scratch, layout.lines);
  planes = e.offset(scratch, layout.planes);
  // Zeroed once: points outside the rows are never written.
  clear(lines, tiles.blockPoints * edge);
  clear(planes, tiles.phases() * tiles.cStep * tiles.planePoints() * edge);
  e.loop(begin, end, 1, [&](Value number) {
    Task task = locate(number);
    if (reductions)
      reductions->begin(number);
    clear(sums, tiles.mStep * tiles.cStep * window.taps() * edge * edge);
    auto addBlock = [&](Value first) {
      packCotangent(task, first);
      packImage(task, first);
      tiles.stack ? addStacks(task) : addPlanes(task);
    };
    if (tiles.stack)
      e.loop(task.pair, task.pairEnd, tiles.stack, addBlock);
    else
      e.loop(task.row, task.rowEnd, tiles.blockRows, addBlock);
    emitEpilogue(task, epilogue);
    if (reductions)
      reductions->end(number);
  });
}

FilterTilesEmitter::Task FilterTilesEmitter::locate(Value number) {
  Task task{tiles.FilterTasks::locate(e, number), {}, {}, {}, {}};
  task.pair = e.mul(task.part, tiles.partPairs);
  task.pairEnd = e.min(e.add(task.pair, tiles.partPairs), e.index(tiles.pairs));
  task.row = e.mul(task.pair, tiles.height);
  task.rowEnd = e.mul(task.pairEnd, tiles.height);
  return task;
}

/// Zeroes 32-bit units of any element type.
void FilterTilesEmitter::clear(Value pointer, int64_t units) {
  Value zero = e.constant(VectorType::get({16}, e.b.getI32Type()), 0);
  e.loop(e.index(0), e.index(units), 16, [&](Value at) { e.store(zero, pointer, at); });
}

/// Packs `rows` rows of pairs of images from `firstRow` on, `edge` channels of each pixel: [rows,
/// pitch, edge] units. Zeros fill rows between the images and rows of the next slice. `firstRow`
/// may be negative by less than the height of a pair.
void FilterTilesEmitter::packRows(const Pixels &pixels, const Task &task, Value firstRow,
                                  int64_t rows, Value channel, Value to) {
  Type unit = e.b.getI32Type();
  Value zero = e.constant(VectorType::get({16}, unit), 0);
  int64_t used = pixels.count(1) * edge;
  e.loop(e.index(0), e.index(rows), 1, [&](Value i) {
    Value row = e.add(firstRow, i), raised = e.add(row, tiles.height);
    Value pair = e.add(e.div(raised, tiles.height), -1), y = e.rem(raised, tiles.height);
    Value isRow = arith::AndIOp::create(e.b, e.loc, e.less(y, e.index(pixels.count(0))),
                                        e.less(row, task.rowEnd));
    Value line = e.address(to, unit, e.mul(i, tiles.pitch * edge));
    e.when(isRow, [&] { packRow(pixels, pair, y, channel, line); });
    Value from = arith::SelectOp::create(e.b, e.loc, isRow, e.index(used), e.index(0));
    e.loop(from, e.index(tiles.pitch * edge), 16, [&](Value at) { e.store(zero, line, at); });
  });
}

/// Packs a row of a pair of images; the last of an odd number of images is paired with zeros.
void FilterTilesEmitter::packRow(const Pixels &pixels, Value pair, Value y, Value channel,
                                 Value to) {
  Type number = e.b.getIntegerType(16);
  int64_t pointsPerPixel = std::max<int64_t>(1, tiles.stack);
  int64_t imageSize = pixels.height * pixels.width * pixels.channels;
  Value row = e.add(e.mul(y, pixels.step[0]), pixels.start[0]);
  Value from = e.add(e.mul(pair, 2 * imageSize), e.mul(row, pixels.width * pixels.channels));
  from = e.add(from, e.add(channel, pixels.start[1] * pixels.channels));
  Value partner = e.index(imageSize), isPaired;
  if (window.images % 2) {
    isPaired = e.less(pair, e.index(tiles.pairs - 1));
    partner = arith::SelectOp::create(e.b, e.loc, isPaired, partner, e.index(0));
  }
  e.loop(e.index(0), e.index(pixels.count(1)), 1, [&](Value x) {
    Value at = e.add(from, e.mul(x, pixels.step[1] * pixels.channels));
    for (int64_t j = 0; j < edge; j += 16) {
      Value even = e.loadVector(pixels.pointer, number, e.add(at, j), 16);
      Value odd = e.loadVector(pixels.pointer, number, e.add(e.add(at, partner), j), 16);
      if (isPaired)
        odd = arith::SelectOp::create(e.b, e.loc, isPaired, odd, e.constant(odd.getType(), 0));
      e.store(interleave(e, even, odd), to, e.add(e.mul(x, pointsPerPixel * edge), j));
    }
  });
}

/// Packs pairs of images from `pair` on as points of each pixel: [y, x, pair, edge]. Pairs of the
/// next slice are zeros.
void FilterTilesEmitter::packStack(const Pixels &pixels, const Task &task, Value pair,
                                   Value channel, Value to) {
  Type unit = e.b.getI32Type();
  Value zero = e.constant(VectorType::get({16}, unit), 0);
  Value here = e.min(e.sub(task.pairEnd, pair), e.index(tiles.stack));
  auto forLines = [&](Value from, Value end, llvm::function_ref<void(Value, Value, Value)> body) {
    e.loop(from, end, 1, [&](Value i) {
      e.loop(e.index(0), e.index(pixels.count(0)), 1, [&](Value y) {
        body(i, y, e.address(to, unit, e.mul(e.add(e.mul(y, tiles.pitch), i), edge)));
      });
    });
  };
  forLines(e.index(0), here, [&](Value i, Value y, Value line) {
    packRow(pixels, e.add(pair, i), y, channel, line);
  });
  forLines(here, e.index(tiles.stack), [&](Value, Value, Value line) {
    e.loop(e.index(0), e.index(pixels.count(1)), 1, [&](Value x) {
      for (int64_t j = 0; j < edge; j += 16)
        e.store(zero, line, e.add(e.mul(x, tiles.stack * edge), j));
    });
  });
}

/// Packs a block from `first` on: a row of planes, or a pair of stacked images.
void FilterTilesEmitter::pack(const Pixels &pixels, const Task &task, Value first, int64_t rows,
                              Value channel, Value to) {
  if (tiles.stack)
    packStack(pixels, task, first, channel, to);
  else
    packRows(pixels, task, first, rows, channel, to);
}

Value FilterTilesEmitter::planeOf(const Task &task, Value c, Value phase) {
  Value number = e.add(e.mul(phase, tiles.cStep), e.sub(c, task.c));
  Value point = e.add(e.mul(number, tiles.planePoints()), tiles.lead());
  return e.address(planes, e.b.getI32Type(), e.mul(point, edge));
}

void FilterTilesEmitter::packImage(const Task &task, Value first) {
  // The first row that the block's first tap reaches.
  Value start = tiles.stack ? first : e.add(first, tiles.low[0]);
  Pixels pixels = {image, window.height, window.width, window.channels, {}, {}};
  for (int64_t phase = 0; phase < tiles.phases(); ++phase) {
    int64_t numbers[2] = {phase / tiles.phases(1), phase % tiles.phases(1)};
    for (unsigned axis : {0, 1}) {
      pixels.start[axis] = tiles.phaseStart(axis, numbers[axis]);
      pixels.step[axis] = window.strides[axis];
    }
    e.loop(task.c, task.cEnd, 1, [&](Value c) {
      Value channel = e.add(e.mul(task.group, window.groupChannels), e.mul(c, edge));
      pack(pixels, task, start, tiles.planeRows(), channel, planeOf(task, c, e.index(phase)));
    });
  }
}

void FilterTilesEmitter::packCotangent(const Task &task, Value first) {
  Pixels pixels = {
      cotangent, window.outHeight, window.outWidth, tiles.outputs * window.groups, {0, 0}, {1, 1}};
  e.loop(task.m, task.mEnd, 1, [&](Value m) {
    Value channel = e.add(e.mul(task.group, tiles.outputs), e.mul(m, edge));
    pack(pixels, task, first, tiles.blockRows, channel, lines);
    turn(e.address(turned, e.b.getI32Type(), e.mul(e.sub(m, task.m), tiles.blockPoints * edge)));
  });
}

/// Transposes every 16 points of 32 outputs to a tile step of 32 lines of 16 points.
void FilterTilesEmitter::turn(Value panel) {
  Type unit = e.b.getI32Type();
  e.loop(e.index(0), e.index(tiles.blockPoints), stepPoints, [&](Value point) {
    for (int64_t j = 0; j < edge; j += 16) {
      SmallVector<Value> square;
      for (int64_t i = 0; i < 16; ++i)
        square.push_back(e.loadVector(lines, unit, e.add(e.mul(e.add(point, i), edge), j), 16));
      for (auto [i, line] : llvm::enumerate(e.transpose(square)))
        e.store(line, panel, e.add(e.mul(point, edge), (j + i) * stepPoints));
    }
  });
}

Value FilterTilesEmitter::sumsOf(const Task &task, Value c, Value tap, Value m) {
  Value number = e.add(e.mul(e.sub(c, task.c), window.taps()), tap);
  number = e.add(e.mul(number, tiles.mStep), e.sub(m, task.m));
  return e.address(sums, e.b.getF32Type(), e.mul(number, edge * edge));
}

// Raises the offsets by a multiple of the stride, so that the unsigned divisions see no negative
// number.
FilterTilesEmitter::Move FilterTilesEmitter::moveOf(Value tap) {
  auto along = [&](unsigned axis, Value number, Value &phase) {
    int64_t stride = window.strides[axis], raised = roundUp(window.padding[axis], stride);
    Value reach = e.add(e.mul(number, window.dilations[axis]), raised - window.padding[axis]);
    phase = e.rem(number, tiles.phases(axis));
    return e.add(e.div(reach, stride), -raised / stride);
  };
  Value phaseY, phaseX;
  Value dy = along(0, e.div(tap, window.kernel[1]), phaseY);
  Value dx = along(1, e.rem(tap, window.kernel[1]), phaseX);
  return {e.add(e.mul(phaseY, tiles.phases(1)), phaseX), dy, dx};
}

/// C block += cotangent points from `point` on times plane points from `moved` on, in `runs` runs
/// of `points` points.
void FilterTilesEmitter::addTiles(const Task &task, Value c, Value m, Value tap, Value plane,
                                  Value point, Value moved, Value points, Value runs) {
  Type unit = e.b.getI32Type();
  Value panel = e.mul(e.sub(m, task.m), tiles.blockPoints);
  int64_t bytesPerRun = 4 * edge * tiles.pitch;
  TileSide left = {e.address(turned, unit, e.mul(e.add(panel, point), edge)),
                   e.index(4 * stepPoints), 4 * edge, 0, bytesPerRun},
           right = {e.address(plane, unit, e.mul(moved, edge)), e.index(4 * edge), 4 * edge, 0,
                    bytesPerRun};
  Value sum = sumsOf(task, c, tap, m);
  MatrixTiles block = {
      tiles.multiply, edge, edge / 16, std::min(runPoints, tiles.blockPoints), sum, sum, Value()};
  emitMatrixTiles(e, block, left, right, points, runs);
}

void FilterTilesEmitter::forSums(const Task &task,
                                 llvm::function_ref<void(Value, Value, Value)> body) {
  e.loop(task.c, task.cEnd, 1, [&](Value c) {
    e.loop(task.m, task.mEnd, 1, [&](Value m) {
      e.loop(e.index(0), e.index(window.taps()), 1, [&](Value tap) { body(c, m, tap); });
    });
  });
}

void FilterTilesEmitter::addPlanes(const Task &task) {
  e.loop(e.index(0), e.index(tiles.blockPoints), runPoints, [&](Value point) {
    Value points = e.min(e.index(runPoints), e.sub(e.index(tiles.blockPoints), point));
    forSums(task, [&](Value c, Value m, Value tap) {
      Move move = moveOf(tap);
      Value moved = e.add(e.mul(e.add(move.dy, -tiles.low[0]), tiles.pitch), e.add(move.dx, point));
      addTiles(task, c, m, tap, planeOf(task, c, move.phase), point, moved, points, {});
    });
  });
}

/// A few rows at a time; a tap takes the rows and columns whose shifted pixels lie in the image.
void FilterTilesEmitter::addStacks(const Task &task) {
  int64_t together = std::max<int64_t>(1, runPoints / tiles.pitch);
  e.loop(e.index(0), e.index(window.outHeight), together, [&](Value row) {
    forSums(task, [&](Value c, Value m, Value tap) {
      Move move = moveOf(tap);
      auto range = [&](unsigned axis, Value by, Value from, Value end) {
        Value first = e.max(from, e.sub(e.index(0), by));
        Value last = e.min(end, e.sub(e.index(tiles.size(axis)), by));
        return std::pair(first, e.sub(last, first));
      };
      Value rowEnd = e.min(e.add(row, together), e.index(window.outHeight));
      auto [y, rows] = range(0, move.dy, row, rowEnd);
      auto [x, columns] = range(1, move.dx, e.index(0), e.index(window.outWidth));
      auto pointOf = [&](Value y, Value x) {
        return e.add(e.mul(y, tiles.pitch), e.mul(x, tiles.stack));
      };
      addTiles(task, c, m, tap, planeOf(task, c, move.phase), pointOf(y, x),
               pointOf(e.add(y, move.dy), e.add(x, move.dx)), e.mul(columns, tiles.stack), rows);
    });
  });
}

void FilterTilesEmitter::emitEpilogue(const Task &task, Epilogue epilogue) {
  e.loop(task.c, task.cEnd, 1, [&](Value c) {
    e.loop(e.index(0), e.index(window.taps()), 1, [&](Value tap) {
      Value position = e.add(e.mul(tap, window.groupChannels), e.mul(c, edge));
      e.loop(task.m, task.mEnd, 1, [&](Value m) {
        Value sum = sumsOf(task, c, tap, m);
        e.loop(e.index(0), e.index(edge), 1, [&](Value line) {
          Value output = e.add(e.mul(task.group, tiles.outputs), e.add(e.mul(m, edge), line));
          for (int64_t j = 0; j < edge; j += 16)
            epilogue(task.part, output, e.add(position, j), 16,
                     e.loadVector(sum, e.b.getF32Type(), e.add(e.mul(line, edge), j), 16));
        });
      });
    });
  });
}
