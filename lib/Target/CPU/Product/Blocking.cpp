// Picks register tile, cache blocks and tasks of a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/Product/Panels.h"

using namespace mlir;
using namespace ampc::cpu;

// Cache sizes every x86-64-v3 or later server core has at least (L1d 32 KB, L2 512 KB).
constexpr int64_t depthBytes = 2048; // of one line of a panel: a panel of A of 12 lines fits L1
// Tiles hide their loads from L2: with k up to 2048 in one block, sums need not leave the registers
// in between (measured on a core with AMX: 1736 of 2500 GFLOP/s at k = 1024).
constexpr int64_t tileDepthBytes = 4096;
constexpr int64_t lhsBytes = 512 << 10;   // of A, which tiles read in place from L2
constexpr int64_t mostColumns = 512;      // of a block of B
constexpr int64_t rhsBytes = 768 << 10;   // of such a block: it stays in L2
constexpr int64_t keptRhsBytes = 4 << 20; // of B kept packed for later tasks: a share of L3
constexpr int64_t sumsBytes = 1 << 20;    // of sums between blocks of k
constexpr int64_t leastWidened = 4;       // panels of A; by count two pay for widening B
constexpr int64_t workPerTask = 1 << 20;  // multiply-adds: about 20 us
constexpr int64_t mostTasks = 16;

/// Sums of a tile live in registers beside the vectors of B and A (and, without FMA, products).
/// Where not two registers are left for numbers of A, a sum goes to memory at every point, which
/// halves the speed of 4 rows of 3 vectors among 16 registers.
int64_t ampc::cpu::mostTileRows(int64_t vectors, const Tier &tier) {
  int64_t registers = tier.vectorRegisters;
  if (!tier.hasFMA())
    return registers / 2 / vectors;
  return std::min(registers * 3 / 4, registers - vectors - 2) / vectors;
}
double ampc::cpu::tileCycles(int64_t rows, int64_t vectors) {
  constexpr int64_t latency = 8, rowsPerLoad = 4;
  return double(std::max({rows * vectors, rows + vectors, rowsPerLoad * vectors, latency}));
}

static bool isPacked(const ProductShape &shape) { return shape.packedLhs || shape.packedRhs; }
int64_t ampc::cpu::packedVectors(const ProductShape &shape, const Blocking &blocking) {
  return shape.n > blocking.width ? 2 : 1;
}
int64_t ampc::cpu::packedPoints(const ProductShape &shape, const Blocking &blocking) {
  int64_t depth = PanelFormat::of(blocking.multiply, shape.acc, 0).depth;
  int64_t points = ceilDiv(shape.k, depth);
  return depth == 2 ? roundUp(points, 16) : points; // whole steps of tiles
}

/// The tile with the fewest cycles per point of k over all panels, edges included.
static void chooseTile(const ProductShape &shape, const Tier &tier, Blocking &blocking) {
  double best = 0;
  for (int64_t vectors : {2, 1, 3, 4}) {
    if (isPacked(shape) && vectors != packedVectors(shape, blocking))
      continue;
    int64_t most = mostTileRows(shape.packedLhs ? 2 : vectors, tier);
    int64_t panels = ceilDiv(shape.m, most), rows = ceilDiv(shape.m, panels);
    int64_t nPanels = ceilDiv(shape.n, vectors * blocking.width);
    double cycles = double(panels * nPanels) * tileCycles(rows, vectors);
    if (best && cycles >= 0.97 * best)
      continue;
    best = cycles;
    blocking.rows = rows;
    blocking.vectors = vectors;
    blocking.mPanels = panels;
    blocking.nPanels = nPanels;
  }
}

/// Up to four tiles of 16 x 16 sums; a step along k takes 16 cycles for each of them, or 16 for
/// each tile that comes from L2. A side of up to 16 rows gets shorter tiles. Registers of tiles
/// have one shape each: attention of few queries and few keys multiplies by both in one function,
/// so that products whose k is a single short step leave half of the registers to others.
static void chooseMatrixTile(const ProductShape &shape, Blocking &blocking) {
  int64_t best = 0;
  bool isShort = shape.m < 16 && shape.k < 16 && !isPacked(shape);
  for (auto [high, wide] : {std::pair{2, 2}, {1, 4}, {4, 1}, {1, 2}, {2, 1}, {1, 1}}) {
    if ((isPacked(shape) && wide != packedVectors(shape, blocking)) ||
        (shape.packedLhs && high != (shape.m > 16 ? 2 : 1)) || (isShort && wide > 2))
      continue;
    int64_t panels = ceilDiv(shape.m, 16 * high), nPanels = ceilDiv(shape.n, 16 * wide);
    int64_t cycles = panels * nPanels * 16 * std::max(high * wide, high + wide);
    if (best && cycles >= best)
      continue;
    best = cycles;
    blocking.rows = std::min<int64_t>(shape.m, 16 * high);
    blocking.rows = high > 1 ? 16 * high : blocking.rows;
    blocking.vectors = wide;
    blocking.mPanels = panels;
    blocking.nPanels = nPanels;
  }
}

void ampc::cpu::cutPanels(int64_t panels, int64_t most, int64_t &step, int64_t &tasks) {
  tasks = ceilDiv(panels, std::max<int64_t>(most, 1));
  step = ceilDiv(panels, tasks);
  tasks = ceilDiv(panels, step);
}

PanelFormat PanelFormat::of(Multiply multiply, Type acc, int64_t panelUnits) {
  if (multiply == Multiply::Wide)
    return acc;
  PanelFormat format(IntegerType::get(acc.getContext(), 32));
  format.depth = 2;
  format.secondPanel = multiply == Multiply::SplitTiles ? panelUnits : 0;
  return format;
}

PanelFormat ampc::cpu::rhsFormat(const ProductShape &shape, const Blocking &blocking,
                                 int64_t panelUnits) {
  if (blocking.readsRhsInPlace() && blocking.multiply == Multiply::Wide && shape.rhs.isBF16())
    return PanelFormat(IntegerType::get(shape.rhs.getContext(), 16));
  return PanelFormat::of(blocking.multiply, shape.acc, panelUnits);
}

Multiply ampc::cpu::chooseMultiply(const ProductShape &shape, const Tier &tier) {
  if (!shape.acc.isF32() || shape.lhs != shape.rhs)
    return Multiply::Wide;
  if (shape.lhs.isBF16() && tier.hasBF16Products())
    return tier.hasAMX() ? Multiply::Tiles : Multiply::Pairs;
  if (!shape.lhs.isF16() || !tier.hasAMX())
    return Multiply::Wide;
  return tier.hasF16Tiles() ? Multiply::HalfTiles : Multiply::SplitTiles;
}
bool ampc::cpu::hasOwnProducts(const ProductShape &shape, const Tier &tier) {
  if (tier.kind <= TierKind::AVX512)
    return true;
  const Tier &below = tiers()[unsigned(tier.kind) - 1];
  return chooseMultiply(shape, tier) != chooseMultiply(shape, below);
}

/// Blocks of k: a panel of A, or a line of it for tiles, has its share of a cache.
static int64_t chooseDepth(const ProductShape &shape, bool lhsTogether, const Blocking &blocking) {
  int64_t bytes = elementBytes(shape.acc) * blocking.parts();
  int64_t most = (blocking.usesTiles() ? tileDepthBytes : depthBytes) / bytes;
  if (lhsTogether)
    most /= 2; // all panels of A of a task lie packed beside those of B
  int64_t depth = roundUp(ceilDiv(blocking.points, ceilDiv(blocking.points, most)), blocking.width);
  return blocking.usesTiles() ? depth : std::min(blocking.points, depth);
}

/// Most panels of A in a task: sums between blocks of k stay in L2, and so does what tiles read of
/// A again for every panel of B.
static int64_t mostPanels(const ProductShape &shape, const Blocking &blocking) {
  int64_t bytes = elementBytes(shape.acc), most = blocking.mPanels;
  if (blocking.depthBlocks > 1)
    most = sumsBytes / (blocking.nStep * blocking.columns() * blocking.rows * bytes);
  if (blocking.usesTiles())
    most = std::min(most, lhsBytes / (blocking.rows * blocking.depth * bytes * blocking.parts()));
  return most;
}

bool ampc::cpu::packsTogether(const Blocking &blocking, const PanelSource &side) {
  return blocking.usesTiles() && side.linesAreNeighbours();
}

/// Units between lines of A where vectors read them in place, else 0: of lines whole pages apart a
/// tile wants twelve from one set of the first cache, which in some processors has eight.
static int64_t lineInPlace(const ProductShape &shape, const PanelSource &lhs,
                           const Blocking &blocking) {
  constexpr int64_t page = 4096;
  PanelFormat format = PanelFormat::of(blocking.multiply, shape.acc, 0);
  int64_t bytes = lhs.bytesBetweenLines(format), unit = elementBytes(format.unit);
  return bytes % unit == 0 && bytes % page ? bytes / unit : 0;
}

Blocking ampc::cpu::chooseBlocking(const ProductShape &shape, const PanelSource &lhs,
                                   const Tier &tier) {
  Blocking blocking;
  blocking.multiply = chooseMultiply(shape, tier);
  blocking.width = tier.lanes(8 * elementBytes(shape.acc));
  int64_t pointDepth = PanelFormat::of(blocking.multiply, shape.acc, 0).depth;
  blocking.points = ceilDiv(shape.k, pointDepth);
  blocking.packedLhs = shape.packedLhs;
  blocking.packedRhs = shape.packedRhs;
  blocking.packedPoints = packedPoints(shape, blocking);
  if (blocking.usesTiles())
    chooseMatrixTile(shape, blocking);
  else
    chooseTile(shape, tier, blocking);
  if (!blocking.usesTiles() && !blocking.packedLhs)
    blocking.lhsLineInPlace = lineInPlace(shape, lhs, blocking);
  blocking.widensRhs = shape.mayWidenRhs && shape.packedRhs && shape.rhs.isBF16() &&
                       blocking.multiply == Multiply::Wide && blocking.mPanels >= leastWidened;
  bool together = packsTogether(blocking, lhs);
  cutProduct(shape, chooseDepth(shape, together, blocking), together, blocking);
  return blocking;
}

/// Cuts more tasks where that reads least again: tasks of rows read all of B, those of columns all
/// of A. A number that has to be packed counts twice as much as one that is read where it lies, and
/// one of B, which comes from memory once per task, twice as much as one of A; what a thread keeps
/// packed for its next tasks counts little.
static void cutByReads(const ProductShape &shape, int64_t wanted, Blocking &blocking) {
  bool lhsIsReady = blocking.packedLhs || blocking.lhsLineInPlace;
  double lhsReads = double(shape.m) * (lhsIsReady ? 1 : 2);
  double rhsReads = double(shape.n) * (blocking.keepRhs ? 0.5 : blocking.readsRhsInPlace() ? 2 : 4);
  while (shape.batch * blocking.mTasks * blocking.nTasks < wanted) {
    bool hasRows = blocking.mStep * blocking.rows > 32 && blocking.mStep > 1;
    bool hasColumns = blocking.nStep > 1;
    if (!hasRows && !hasColumns)
      return;
    bool readsLess = rhsReads * double(blocking.mTasks) <= lhsReads * double(blocking.nTasks);
    if (hasRows && (!hasColumns || readsLess))
      cutPanels(blocking.mPanels, ceilDiv(blocking.mStep, 2), blocking.mStep, blocking.mTasks);
    else
      cutPanels(blocking.nPanels, ceilDiv(blocking.nStep, 2), blocking.nStep, blocking.nTasks);
  }
}

/// The same for matrix tiles, which read most lines of A in place: first two halves of the columns,
/// whose packing is not repeated unless panels of A are packed together; then rows.
static void cutForTiles(const ProductShape &shape, int64_t wanted, bool lhsTogether,
                        Blocking &blocking) {
  auto tasks = [&] { return shape.batch * blocking.mTasks * blocking.nTasks; };
  if (!(lhsTogether && blocking.keepRhs) && tasks() < wanted && blocking.nTasks == 1 &&
      shape.n >= 256)
    cutPanels(blocking.nPanels, ceilDiv(blocking.nPanels, 2), blocking.nStep, blocking.nTasks);
  while (tasks() < wanted && blocking.mStep * blocking.rows > 32 && blocking.mStep > 1)
    cutPanels(blocking.mPanels, ceilDiv(blocking.mStep, 2), blocking.mStep, blocking.mTasks);
  while (tasks() < wanted && blocking.nStep > 1)
    cutPanels(blocking.nPanels, ceilDiv(blocking.nStep, 2), blocking.nStep, blocking.nTasks);
}

void ampc::cpu::cutProduct(const ProductShape &shape, int64_t depth, bool lhsTogether,
                           Blocking &blocking) {
  blocking.depth = depth;
  blocking.depthBlocks = ceilDiv(blocking.points, depth);
  int64_t mostLines = mostColumns;
  if (!blocking.usesTiles())
    mostLines = std::min(mostLines, rhsBytes / (depth * elementBytes(shape.acc)));
  int64_t nMost = std::max<int64_t>(1, mostLines / blocking.columns());
  int64_t rhsLineBytes = blocking.points * elementBytes(shape.acc) * blocking.parts();
  blocking.keepRhs = !blocking.readsRhsInPlace() &&
                     std::min(nMost * blocking.columns(), shape.n) * rhsLineBytes <= keptRhsBytes;
  cutPanels(blocking.nPanels, nMost, blocking.nStep, blocking.nTasks);
  cutPanels(blocking.mPanels, mostPanels(shape, blocking), blocking.mStep, blocking.mTasks);

  // Enough tasks to share. Long sums want large tasks, for each of them packs both sides.
  int64_t work = shape.batch * shape.m * shape.n * shape.k;
  int64_t wanted =
      std::min(blocking.keepRhs || blocking.readsRhsInPlace() ? mostTasks : mostTasks / 4,
               work / workPerTask);
  if (blocking.usesTiles())
    cutForTiles(shape, wanted, lhsTogether, blocking);
  else
    cutByReads(shape, wanted, blocking);
}
