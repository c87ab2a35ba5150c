// Picks register tile, cache blocks and tasks of a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/Product.h"

using namespace ampc::cpu;

// Cache sizes every x86-64-v3 or later server core has at least (L1d 32 KB, L2 512 KB).
constexpr int64_t depthBytes = 1536;      // of one line of a panel: a panel of A fills half of L1
constexpr int64_t mostColumns = 512;      // of a block of B, which with that depth stays in L2
constexpr int64_t keptRhsBytes = 4 << 20; // of B kept packed for later tasks: a share of L3
constexpr int64_t sumsBytes = 1 << 20;    // of sums between blocks of k
constexpr int64_t workPerTask = 1 << 20;  // multiply-adds: about 20 us
constexpr int64_t mostTasks = 16;

/// Sums of a tile live in registers beside the vectors of B and A (and, without FMA, products).
static int64_t mostRows(int64_t vectors, const Tier &tier) {
  int64_t sums = tier.hasFMA() ? tier.vectorRegisters * 3 / 4 : tier.vectorRegisters / 2;
  return sums / vectors;
}

/// The tile with the fewest cycles per point of k over all panels, edges included. A tile takes as
/// many cycles as it has multiply-adds or loads, and no less than their latency.
static void chooseTile(const ProductShape &shape, const Tier &tier, Blocking &blocking) {
  constexpr int64_t latency = 8;
  double best = 0;
  for (int64_t vectors : {2, 1, 3, 4}) {
    int64_t panels = ceilDiv(shape.m, mostRows(vectors, tier)), rows = ceilDiv(shape.m, panels);
    int64_t nPanels = ceilDiv(shape.n, vectors * blocking.width);
    double cycles = double(panels * nPanels) * std::max({rows * vectors, rows + vectors, latency});
    if (best && cycles >= 0.97 * best)
      continue;
    best = cycles;
    blocking.rows = rows;
    blocking.vectors = vectors;
    blocking.mPanels = panels;
    blocking.nPanels = nPanels;
  }
}

/// Cuts `panels` into equal tasks of at most `most`.
static void cut(int64_t panels, int64_t most, int64_t &step, int64_t &tasks) {
  tasks = ceilDiv(panels, std::max<int64_t>(most, 1));
  step = ceilDiv(panels, tasks);
  tasks = ceilDiv(panels, step);
}

Blocking ampc::cpu::chooseBlocking(const ProductShape &shape, const Tier &tier) {
  Blocking blocking;
  int64_t bytes = elementBytes(shape.acc);
  blocking.width = tier.lanes(8 * bytes);
  chooseTile(shape, tier, blocking);

  blocking.depthBlocks = ceilDiv(shape.k, depthBytes / bytes);
  blocking.depth =
      std::min(shape.k, roundUp(ceilDiv(shape.k, blocking.depthBlocks), blocking.width));
  blocking.depthBlocks = ceilDiv(shape.k, blocking.depth);

  int64_t nMost = mostColumns / blocking.columns();
  blocking.keepRhs =
      std::min(nMost * blocking.columns(), shape.n) * shape.k * bytes <= keptRhsBytes;
  cut(blocking.nPanels, nMost, blocking.nStep, blocking.nTasks);
  int64_t mMost = sumsBytes / (blocking.nStep * blocking.columns() * blocking.rows * bytes);
  cut(blocking.mPanels, blocking.depthBlocks > 1 ? mMost : blocking.mPanels, blocking.mStep,
      blocking.mTasks);

  // Enough tasks to share: first two halves of the columns, whose packing is not repeated, then
  // rows. Long sums want large tasks, for each of them packs both sides.
  int64_t work = shape.batch * shape.m * shape.n * shape.k;
  int64_t wanted = std::min(blocking.keepRhs ? mostTasks : mostTasks / 4, work / workPerTask);
  auto tasks = [&] { return shape.batch * blocking.mTasks * blocking.nTasks; };
  if (tasks() < wanted && blocking.nTasks == 1 && shape.n >= 256)
    cut(blocking.nPanels, ceilDiv(blocking.nPanels, 2), blocking.nStep, blocking.nTasks);
  while (tasks() < wanted && blocking.mStep * blocking.rows > 32 && blocking.mStep > 1)
    cut(blocking.mPanels, ceilDiv(blocking.mStep, 2), blocking.mStep, blocking.mTasks);
  while (tasks() < wanted && blocking.nStep > 1)
    cut(blocking.nPanels, ceilDiv(blocking.nStep, 2), blocking.nStep, blocking.nTasks);
  return blocking;
}
