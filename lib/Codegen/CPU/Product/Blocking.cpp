// Search for feeds, k-blocks and task grid of a GEMM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/Blocking.h"
#include "lib/Codegen/CPU/Product/Panels.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

// Cache sizes that every x86-64-v3 or later server core has at least: L1d 32 KB, L2 512 KB.
constexpr int64_t depthBytes = 2048; // of a row of a panel: a panel of A of 12 rows fits L1
// AMX hides loads from L2: with k up to 2048 in one block, sums stay in registers (measured on a
// core with AMX: 1736 of 2500 GFLOP/s at k = 1024).
constexpr int64_t tileDepthBytes = 4096;
constexpr int64_t lhsBytes = 512 << 10;   // of A per task, which AMX reads in place from L2
constexpr int64_t mostColumns = 512;      // of a block of B
constexpr int64_t rhsBytes = 768 << 10;   // of a block of B, which stays in L2
constexpr int64_t keptRhsBytes = 4 << 20; // of B kept packed for later tasks: a share of L3
constexpr int64_t sumsBytes = 1 << 20;    // of sums between k-blocks
constexpr int64_t leastWidened = 4;       // panels of A; by count two pay for widening B
constexpr int64_t workPerTask = 1 << 20;  // multiply-adds: about 20 us
constexpr int64_t mostTasks = 16;

Value KBlocks::pointsIn(KernelEmitter &e, Value kBlock) const {
  return e.min(e.index(depth), e.sub(e.index(points), e.mul(kBlock, depth)));
}
Value KBlocks::isLast(KernelEmitter &e, Value kBlock) const {
  return e.less(e.index(count - 2), kBlock);
}

PanelGrid::PanelGrid(int64_t panels, int64_t mostPerTask)
    : panels(panels), step(ceilDiv(panels, ceilDiv(panels, std::max<int64_t>(mostPerTask, 1)))),
      tasks(ceilDiv(panels, step)) {}

/// Whether vectors can broadcast elements of A in place.
static bool isInPlace(const ProductShape &shape, const PanelSource &lhs, const MicroTile &tile) {
  PanelFormat format = PanelFormat::of(tile.multiply, shape.acc);
  int64_t rowBytes = lhs.bytesBetweenLines(format); // 0: memory has another format
  return !tile.usesTiles() && rowBytes && rowBytes % elementBytes(format.unit) == 0;
}
/// Whether tile loads can read rows of A in place.
static bool isInPlaceForTiles(const ProductShape &shape, const PanelSource &lhs,
                              const MicroTile &tile) {
  PanelFormat format = PanelFormat::of(tile.multiply, shape.acc);
  bool isWholeSteps = shape.k % (format.depth * tile.width) == 0;
  return tile.usesTiles() && lhs.bytesBetweenLines(format) && isWholeSteps && tile.parts() == 1;
}

/// The feed of A that packs the least. Vectors read A in place unless rows of A are whole pages
/// apart: such rows map to one L1 set, and a tile of 12 rows would thrash an 8-way cache. Tiles
/// read A in place if k is whole steps. A k-major A, whose neighbouring panels share rows of
/// memory, is packed for tiles in a sweep.
static LhsFeedKind chooseLhsFeed(const ProductShape &shape, const PanelSource &lhs,
                                 const MicroTile &tile) {
  constexpr int64_t page = 4096;
  if (shape.packedLhs)
    return LhsFeedKind::Prepacked;
  if (isInPlaceForTiles(shape, lhs, tile))
    return LhsFeedKind::InPlaceTiles;
  PanelFormat format = PanelFormat::of(tile.multiply, shape.acc);
  if (!tile.usesTiles())
    return isInPlace(shape, lhs, tile) && lhs.bytesBetweenLines(format) % page
               ? LhsFeedKind::InPlace
               : LhsFeedKind::PackedPanel;
  return lhs.linesAreNeighbours() ? LhsFeedKind::PackedSweep : LhsFeedKind::PackedPanel;
}

/// Whether the tier has code for a feed of A.
static bool hasFeed(LhsFeedKind feed, const ProductShape &shape, const PanelSource &lhs,
                    const MicroTile &tile) {
  if (shape.packedLhs || feed == LhsFeedKind::Prepacked)
    return shape.packedLhs && feed == LhsFeedKind::Prepacked;
  switch (feed) {
  case LhsFeedKind::InPlace:
    return isInPlace(shape, lhs, tile);
  case LhsFeedKind::InPlaceTiles:
    return isInPlaceForTiles(shape, lhs, tile);
  case LhsFeedKind::PackedSweep:
    return tile.usesTiles() && lhs.linesAreNeighbours();
  default:
    return feed == LhsFeedKind::PackedPanel;
  }
}

/// Whether panels of bf16 by kernel.pack may be converted to the f32 of the sums.
static bool isWidenable(const ProductShape &shape, const MicroTile &tile) {
  return shape.packedRhs && shape.mayWidenRhs && shape.rhs.isBF16() &&
         tile.multiply == Multiply::Wide;
}
/// Whether the tier has code for a feed of B.
static bool hasFeed(RhsFeedKind feed, const ProductShape &shape, const MicroTile &tile) {
  if (feed == RhsFeedKind::Packed)
    return !shape.packedRhs;
  return feed == RhsFeedKind::Widened ? isWidenable(shape, tile) : shape.packedRhs;
}

/// Widening packed bf16 once per task pays from a few panels of A on: converting in the
/// micro-kernel repeats for every panel of A, on the ports that multiply.
RhsFeedKind ampc::cpu::chooseRhsFeed(const ProductShape &shape, const MicroTile &tile) {
  if (!shape.packedRhs)
    return RhsFeedKind::Packed;
  bool widens = isWidenable(shape, tile) && ceilDiv(shape.m, tile.rows) >= leastWidened;
  return widens ? RhsFeedKind::Widened : RhsFeedKind::InPlace;
}

static int64_t pointsOf(const ProductShape &shape, const MicroTile &tile) {
  return ceilDiv(shape.k, PanelFormat::of(tile.multiply, shape.acc).depth);
}

/// k-blocks of equal depth: a panel of A (on AMX a row of the panel) fits a share of a cache.
/// Example: f32, k = 1000, at most 512 points: 2 blocks of 500, in whole vectors 512 and 488.
static KBlocks chooseKBlocks(const ProductShape &shape, const MicroTile &tile, LhsFeedKind lhs) {
  int64_t points = pointsOf(shape, tile);
  int64_t bytes = elementBytes(shape.acc) * tile.parts();
  int64_t most = (tile.usesTiles() ? tileDepthBytes : depthBytes) / bytes;
  if (lhs == LhsFeedKind::PackedSweep)
    most /= 2; // all panels of A of a task lie packed beside panels of B
  int64_t depth = roundUp(ceilDiv(points, ceilDiv(points, most)), tile.width);
  return {points, tile.usesTiles() ? depth : std::min(points, depth)};
}

/// Most panels of B per task: a block of B stays in L2.
static int64_t mostRhsPanels(const ProductShape &shape, const MicroTile &tile, const KBlocks &k) {
  int64_t most = mostColumns;
  if (!tile.usesTiles())
    most = std::min(most, rhsBytes / (k.depth * elementBytes(shape.acc)));
  return std::max<int64_t>(1, most / tile.columns());
}

/// Most panels of A per task: sums between k-blocks stay in L2, and so does the part of A that AMX
/// reads again for every panel of B.
static int64_t mostLhsPanels(const ProductShape &shape, const MicroTile &tile, const KBlocks &k,
                             int64_t rhsPanels) {
  int64_t bytes = elementBytes(shape.acc), most = ceilDiv(shape.m, tile.rows);
  if (k.areSeveral())
    most = sumsBytes / (rhsPanels * tile.columns() * tile.rows * bytes);
  if (tile.usesTiles())
    most = std::min(most, lhsBytes / (tile.rows * k.depth * bytes * tile.parts()));
  return most;
}

/// Whether panels of all k-blocks of a task fit their share of L3.
static bool fitsKept(const ProductShape &shape, const MicroTile &tile, const KBlocks &k) {
  int64_t columns = std::min(mostRhsPanels(shape, tile, k) * tile.columns(), shape.n);
  return columns * k.points * elementBytes(shape.acc) * tile.parts() <= keptRhsBytes;
}

Blocking::Blocking(const ProductShape &shape, const MicroTile &tile, LhsFeedKind lhs,
                   RhsFeedKind rhs, const KBlocks &k)
    : tile(tile), lhs(lhs), rhs(rhs), k(k),
      keepsRhs(rhs != RhsFeedKind::InPlace && fitsKept(shape, tile, k)),
      n(ceilDiv(shape.n, tile.columns()), mostRhsPanels(shape, tile, k)),
      m(ceilDiv(shape.m, tile.rows), mostLhsPanels(shape, tile, k, n.step)) {
  cutTasks(shape);
}

Blocking Blocking::choose(const ProductShape &shape, const PanelSource &lhs, const Tier &tier) {
  MicroTile tile = MicroTile::choose(shape, tier);
  LhsFeedKind feed = chooseLhsFeed(shape, lhs, tile);
  return {shape, tile, feed, chooseRhsFeed(shape, tile), chooseKBlocks(shape, tile, feed)};
}

// ---- Blockings of plans ----

const char *ampc::cpu::whyNoCode(kernel::BlockingAttr plan, const ProductShape &shape,
                                 const MicroTile &tile, const Tier &tier) {
  if (plan.getColumns() % tile.width || !tile.hasCode(shape, tier))
    return "the tier has no register tile of this shape";
  if (!hasFeed(plan.getRhs(), shape, tile))
    return "the right side does not allow this feed";
  if (plan.getKeepsRhs() && plan.getRhs() == RhsFeedKind::InPlace)
    return "a right side in place has no panels to keep";
  return nullptr;
}

/// As above, and the feed of A and the k-blocks.
static const char *whyNotFollowed(kernel::BlockingAttr plan, const ProductShape &shape,
                                  const PanelSource &lhs, const MicroTile &tile, const Tier &tier) {
  if (const char *why = cpu::whyNoCode(plan, shape, tile, tier))
    return why;
  if (!hasFeed(plan.getLhs(), shape, lhs, tile))
    return "the left side does not allow this feed";
  int64_t points = pointsOf(shape, tile), depth = plan.getDepth();
  bool isWhole = depth % tile.width == 0 || (!tile.usesTiles() && depth == points);
  if (!isWhole || depth > roundUp(points, tile.width))
    return "blocks of k are whole vectors, at most all of k";
  return nullptr;
}

Blocking::Blocking(const ProductShape &shape, const MicroTile &tile, const KBlocks &k,
                   kernel::BlockingAttr plan)
    : tile(tile), lhs(plan.getLhs()), rhs(plan.getRhs()), k(k), keepsRhs(plan.getKeepsRhs()),
      n(ceilDiv(shape.n, tile.columns()), plan.getTask()[1]),
      m(ceilDiv(shape.m, tile.rows), plan.getTask()[0]) {}

std::optional<Blocking> Blocking::by(kernel::BlockingAttr plan, const ProductShape &shape,
                                     const PanelSource &lhs, const Tier &tier, std::string &why) {
  MicroTile tile(shape, tier);
  tile.rows = plan.getRows();
  tile.vectors = plan.getColumns() / tile.width;
  if (const char *reason = whyNotFollowed(plan, shape, lhs, tile, tier)) {
    why = reason;
    return std::nullopt;
  }
  int64_t points = pointsOf(shape, tile);
  return Blocking(shape, tile, KBlocks(points, plan.getDepth()), plan);
}

kernel::BlockingAttr Blocking::attribute(MLIRContext *context, const Tier &tier,
                                         ArrayRef<int64_t> pixels) const {
  return kernel::BlockingAttr::get(context, tier.name, tile.rows, tile.columns(), lhs, rhs, k.depth,
                                   keepsRhs, {m.step, n.step}, pixels);
}

// ---- The task grid ----

/// Tasks that pack B again and again are few: a quarter as many.
void Blocking::cutTasks(const ProductShape &shape) {
  int64_t work = shape.batch * shape.m * shape.n * shape.k;
  bool packsPerTask = rhs != RhsFeedKind::InPlace && !keepsRhs;
  int64_t wanted = std::min(packsPerTask ? mostTasks / 4 : mostTasks, work / workPerTask);
  tile.usesTiles() ? cutForTiles(shape, wanted) : cutForVectors(shape, wanted);
}

/// Halves the side that costs fewer repeated reads: tasks of fewer rows read all of B once more,
/// tasks of fewer columns all of A. An element that has to be packed counts twice as much as an
/// element read in place, and an element of B, which comes from memory once per task, twice as much
/// as an element of A; elements of B kept packed count little.
void Blocking::cutForVectors(const ProductShape &shape, int64_t wanted) {
  bool lhsIsReady = lhs == LhsFeedKind::Prepacked || lhs == LhsFeedKind::InPlace;
  double lhsReads = double(shape.m) * (lhsIsReady ? 1 : 2);
  double rhsReads = double(shape.n) * (keepsRhs ? 0.5 : rhs == RhsFeedKind::InPlace ? 2 : 4);
  while (shape.batch * tasks() < wanted) {
    bool hasRows = m.step * tile.rows > 32 && m.step > 1;
    bool hasColumns = n.step > 1;
    if (!hasRows && !hasColumns)
      return;
    bool readsLess = rhsReads * double(m.tasks) <= lhsReads * double(n.tasks);
    hasRows && (!hasColumns || readsLess) ? m.halve() : n.halve();
  }
}

/// AMX reads most rows of A in place: first two halves of the columns, whose packing is not
/// repeated unless panels of A are packed in a sweep; then rows; then columns.
void Blocking::cutForTiles(const ProductShape &shape, int64_t wanted) {
  auto lacksTasks = [&] { return shape.batch * tasks() < wanted; };
  bool repeatsPacking = lhs == LhsFeedKind::PackedSweep && keepsRhs;
  if (!repeatsPacking && lacksTasks() && n.tasks == 1 && shape.n >= 256)
    n = PanelGrid(n.panels, ceilDiv(n.panels, 2));
  while (lacksTasks() && m.step * tile.rows > 32 && m.step > 1)
    m.halve();
  while (lacksTasks() && n.step > 1)
    n.halve();
}
