// Transform matrices of Winograd's minimal filtering (Lavin and Gray, 2015), and blocking of tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Conv/Winograd.h"
#include "lib/Codegen/CPU/Product/Blocking.h"
#include "lib/Codegen/CPU/Product/RegisterTile.h"
#include "lib/Codegen/Common/ConvPhases.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

// F(2, 3): interpolation points 0, 1, -1 and infinity.
static const double image2[] = {1, 0, -1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 0, -1};
static const double filter2[] = {1, 0, 0, .5, .5, .5, .5, -.5, .5, 0, 0, 1};
static const double output2[] = {1, 1, 1, 0, 0, 1, -1, -1};
// F(4, 3): interpolation points 0, 1, -1, 2, -2 and infinity.
static const double image4[] = {4, 0,  -5, 0, 1, 0, 0, -4, -4, 1,  1, 0, 0, 4, -4, -1, 1, 0,
                                0, -2, -1, 2, 1, 0, 0, 2,  -1, -2, 1, 0, 0, 4, 0,  -5, 0, 1};
static const double filter4[] = {1. / 4,  0,        0,       -1. / 6, -1. / 6, -1. / 6,
                                 -1. / 6, 1. / 6,   -1. / 6, 1. / 24, 1. / 12, 1. / 6,
                                 1. / 24, -1. / 12, 1. / 6,  0,       0,       1};
static const double output4[] = {1, 1, 1, 1, 1, 0, 0, 1, -1, 2, -2, 0,
                                 0, 1, 1, 4, 4, 0, 0, 1, -1, 8, -8, 1};

const WinogradTransform &WinogradTransform::of(int64_t outputs) {
  static const WinogradTransform two = {2, 4, {4, 4, image2}, {4, 3, filter2}, {2, 4, output2}};
  static const WinogradTransform four = {4, 6, {6, 6, image4}, {6, 3, filter4}, {4, 6, output4}};
  return outputs == 2 ? two : four;
}

Value Transform::dot(KernelEmitter &e, int64_t row, ArrayRef<Value> x) const {
  ArrayRef<double> factors = numbers.slice(row * columns, columns);
  int64_t first = std::distance(factors.begin(), llvm::find(factors, 1.0));
  Value sum = first < columns ? x[first] : Value();
  for (auto [i, factor] : llvm::enumerate(factors)) {
    if (factor == 0 || int64_t(i) == first)
      continue;
    Value weight = e.constant(x[i].getType(), factor);
    if (!sum)
      sum = arith::MulFOp::create(e.b, e.loc, weight, x[i]);
    else if (factor == 1)
      sum = arith::AddFOp::create(e.b, e.loc, sum, x[i]);
    else if (factor == -1)
      sum = arith::SubFOp::create(e.b, e.loc, sum, x[i]);
    else
      sum = multiplyAdd(e, Multiply::Wide, weight, x[i], sum);
  }
  return sum;
}

SmallVector<Value> Transform::apply(KernelEmitter &e, ArrayRef<Value> square) const {
  SmallVector<Value> half(rows * columns), result;
  for (int64_t j = 0; j < columns; ++j) {
    SmallVector<Value> column;
    for (int64_t i = 0; i < columns; ++i)
      column.push_back(square[i * columns + j]);
    for (int64_t i = 0; i < rows; ++i)
      half[i * columns + j] = dot(e, i, column);
  }
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < rows; ++j)
      result.push_back(dot(e, j, ArrayRef(half).slice(i * columns, columns)));
  return result;
}

constexpr int64_t depthNumbers = 192;      // of a B panel, which stays in L1 with an A panel
constexpr int64_t squareBytes = 512 << 10; // pixels and sums of a task: a share of L2
constexpr int64_t mostBlock = 128;         // in columns
constexpr int64_t wantedTasks = 16;

WinogradPlan::WinogradPlan(kernel::WinogradOp op, const Tier &tier)
    : form(WinogradTransform::of(op.getTile())) {
  ArrayRef<int64_t> image = cast<RankedTensorType>(op.getLhs().getType()).getShape(),
                    space = op.getSpace();
  images = image[0], height = image[1], width = image[2], channels = image[3];
  outHeight = space[1], outWidth = space[2], outputs = space[3];
  paddingTop = op.getPadding()[0], paddingLeft = op.getPadding()[2];
  tilesDown = ceilDiv(outHeight, form.outputs);
  tilesAcross = ceilDiv(outWidth, form.outputs);
  tiles = images * tilesDown * tilesAcross;
  lanes = tier.lanes(32);
  vectors = 2;
  rows = mostTileRows(vectors, tier);
  depth = roundUp(ceilDiv(channels, ceilDiv(channels, depthNumbers)), 16);
  block = outputs;
  for (int64_t parts = 2; block > mostBlock; ++parts)
    if (outputs % (32 * parts) == 0)
      block = outputs / parts;
  int64_t tileBytes = form.places() * (channels + block) * 4;
  int64_t most = std::max<int64_t>(2, squareBytes / tileBytes / rows);
  PanelGrid panels(ceilDiv(tiles, rows), most);
  mTasks = panels.tasks;
  step = panels.step * rows;
  int64_t blocks = outputs / block;
  PanelGrid columns(blocks, ceilDiv(blocks, ceilDiv(wantedTasks, mTasks)));
  nTasks = columns.tasks;
  nStep = columns.step * block;

  // Strides of an odd number of cache lines: rows and planes spread over all cache sets.
  auto odd = [](int64_t numbers) { return (ceilDiv(numbers, 16) | 1) * 16; };
  line = odd(channels);
  pixelPlane = odd(step * line);
  sumPlane = odd(step * block);
  pixels = alignUp(channels * 4);
  sums = pixels + form.places() * pixelPlane * 4;
  finished = sums + form.places() * sumPlane * 4;
  scratchBytes = finished + form.outputs * form.outputs * block * 4;
}

static bool canUseTiles(kernel::ConvOp op) {
  auto filter = cast<RankedTensorType>(op.getRhs().getType());
  auto areOnes = [](ArrayRef<int64_t> numbers) {
    return llvm::all_of(numbers, [](int64_t x) { return x == 1; });
  };
  auto isF32 = [](Value tensor) { return getElementTypeOrSelf(tensor).isF32(); };
  return isF32(op.getLhs()) && isF32(op.getRhs()) && op.getAcc().isF32() && !op.getCompute() &&
         filter.getDimSize(1) == 3 && filter.getDimSize(2) == 3 && filter.getDimSize(0) % 32 == 0 &&
         filter.getDimSize(3) % 16 == 0 && areOnes(op.getStrides()) && areOnes(op.getDilations()) &&
         areOnes(op.getInputDilations()) && op.getGroups() == 1 && !op.getChannelsFirst() &&
         llvm::all_of(op.getPadding(), [](int64_t x) { return x >= 0; });
}

/// Cycles of a core with two units of 16 lanes, per channel and output. Transforming a square takes
/// about 2.5 (F2) or 3 (F4) cycles per vector and element; filter elements are written and read
/// once each, at 4 bytes a cycle.
static double tileCost(kernel::ConvOp op, int64_t tile) {
  ArrayRef<int64_t> space = op.getSpace();
  double channels = cast<RankedTensorType>(op.getLhs().getType()).getDimSize(3);
  int64_t places = (tile + 2) * (tile + 2);
  double tiles = double(space[0]) * ceilDiv(space[1], tile) * ceilDiv(space[2], tile);
  double transforms = places * (tile == 2 ? 2.5 : 3) * (1 / channels + 1.0 / space[3]) / 16;
  return tiles * (1.1 * places / 32 + transforms) + 2 * places;
}

int64_t ampc::cpu::chooseWinogradTile(Operation *convolution, int64_t most) {
  auto op = dyn_cast<kernel::ConvOp>(convolution);
  if (!op || !canUseTiles(op))
    return 0;
  ArrayRef<int64_t> space = op.getSpace();
  double best = 0.85 * 9 / 32 * double(space[0] * space[1] * space[2]);
  int64_t chosen = 0;
  for (int64_t tile : {2, 4}) {
    double cost = tileCost(op, tile);
    if (tile > most || cost >= best)
      continue;
    best = cost;
    chosen = tile;
  }
  return chosen;
}
