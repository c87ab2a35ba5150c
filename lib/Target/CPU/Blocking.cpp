// Picks register tile, cache blocks and tasks of a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/Product.h"

using namespace ampc::cpu;

// Cache sizes every x86-64-v3 or later server core has at least (L1d 32 KB, L2 512 KB).
constexpr int64_t panelBytes = 1024;           // of one line of a panel: the right panel fills L1
constexpr int64_t lhsBlockBytes = 160 << 10;   // packed block of A: a share of L2
constexpr int64_t rhsBlockBytes = 4 << 20;     // packed columns of B: a share of L3
constexpr int64_t workPerTask = 1 << 20;       // multiply-adds: about 20 us
constexpr int64_t mostTasks = 16;

/// Sums of a tile live in registers beside the vectors of B and one element of A (and, without FMA, one product).
static int64_t mostRows(int64_t vectors, const Tier &tier) {
  return (tier.vectorRegisters - vectors - (tier.hasFMA() ? 1 : 2)) / vectors;
}

/// The tile with the fewest cycles per point of k over all panels, edges included. A tile takes as many cycles as it has
/// multiply-adds or loads, and no less than their latency.
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

  // Up to half a block more is better than a second pass over C.
  int64_t most = panelBytes / bytes;
  blocking.depthBlocks = shape.k <= most * 3 / 2 ? 1 : ceilDiv(shape.k, most);
  blocking.depth = std::min(shape.k, roundUp(ceilDiv(shape.k, blocking.depthBlocks), blocking.width));
  blocking.depthBlocks = ceilDiv(shape.k, blocking.depth);

  int64_t rhsPanel = blocking.columns() * shape.k * bytes;
  int64_t nMost = rhsBlockBytes / rhsPanel;
  blocking.keepRhs = nMost * blocking.columns() >= std::min<int64_t>(128, shape.n);
  if (!blocking.keepRhs)
    nMost = rhsBlockBytes / (blocking.columns() * blocking.depth * bytes) / 4;
  int64_t mMost = lhsBlockBytes / (blocking.rows * blocking.depth * bytes);
  if (!blocking.keepRhs)
    mMost *= 2; // packing B again for every task wants more rows to share it
  cut(blocking.mPanels, mMost, blocking.mStep, blocking.mTasks);
  cut(blocking.nPanels, nMost, blocking.nStep, blocking.nTasks);

  // Enough tasks to share: first two halves of the columns, whose packing is not repeated, then rows.
  int64_t work = shape.batch * shape.m * shape.n * shape.k;
  int64_t wanted = std::min(mostTasks, work / workPerTask);
  auto tasks = [&] { return shape.batch * blocking.mTasks * blocking.nTasks; };
  if (tasks() < wanted && blocking.nTasks == 1 && shape.n >= 256)
    cut(blocking.nPanels, ceilDiv(blocking.nPanels, 2), blocking.nStep, blocking.nTasks);
  while (tasks() < wanted && blocking.mStep * blocking.rows > 32 && blocking.mStep > 1)
    cut(blocking.mPanels, ceilDiv(blocking.mStep, 2), blocking.mStep, blocking.mTasks);
  while (tasks() < wanted && blocking.nStep > 1)
    cut(blocking.nPanels, ceilDiv(blocking.nStep, 2), blocking.nStep, blocking.nTasks);
  return blocking;
}
