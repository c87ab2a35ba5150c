// Selection of GEMMs for the WGMMA kernel, and of tile shape, split-K and schedule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"
#include "lib/Codegen/NVPTX/Hopper/ConsumerSchedule.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

ArrayRef<WarpgroupShape> nvptx::warpgroupShapes() {
  static constexpr WarpgroupShape shapes[] = {
      {2, 256, 1.0},
      {2, 192, 0.96},
      {2, 128, 0.85},
      {1, 256, 0.75},
      {2, 64, 0.6},
      {1, 128, 0.6},
      {1, 64, 0.4},
      {2, 256, 0.64, kernel::Schedule::pingpong},
      {2, 128, 0.64, kernel::Schedule::pingpong, /*high=*/2}};
  return shapes;
}

const ConsumerSchedule &WarpgroupTile::consumers() const {
  return schedule == kernel::Schedule::pingpong ? pingPongSchedule() : cooperativeSchedule();
}
int64_t WarpgroupTile::tilesInProgress() const { return consumers().tilesInProgress(groups); }

static constexpr int64_t mostStages = 8;

/// Columns per epilogue subtile of a warp. Next to the pipeline of the largest tile there is no
/// shared memory for more; with cluster split-K, each CTA finishes some subtiles.
static int64_t stagedColumns(const WarpgroupTile &tile) {
  return tile.threadSums() > 64 || tile.clusterSplitK > 1 ? 32 : 64;
}

static TileGemm partOf(const TileGemm &gemm, const WarpgroupTile &tile) {
  TileGemm part = gemm;
  part.parts = 1;
  part.tile = {tile.m(), stagedColumns(tile), tileRowBytes, tile.stages, tile.m() / 16, 1};
  return part;
}

/// Staging bytes of all consumer warps: sharedBytes counts the warps of a tile, of which the
/// ping-pong schedule has two.
static int64_t stagingBytesOf(const TileGemm &part, const WarpgroupTile &tile) {
  return 4 * tile.groups * Epilogue::sharedBytes(part) / part.tile.warpsM;
}
static int64_t bytesBesideRing(const TileGemm &gemm, const WarpgroupTile &tile) {
  return stagingBytesOf(partOf(gemm, tile), tile) +
         PipelineBarriers::bytes(mostStages, tile.consumers().orderBarriers());
}
int64_t WarpgroupGemm::stagingBytes() const { return stagingBytesOf(part, tile); }

/// Whether CTAs of a cluster may multicast the right operand: few tiles are wasted, and each CTA
/// copies whole swizzle atoms (8 lines along k) or whole squares (64 lines across k).
static bool mayMulticast(const TileGemm &gemm, const WarpgroupTile &tile, int64_t multicast) {
  int64_t tiles = llvm::divideCeil(gemm.m, tile.m());
  bool fills = tiles % multicast == 0 || tiles >= 4 * multicast;
  return fills && tile.n % ((gemm.rhs.alongDepth ? 8 : 64) * multicast) == 0;
}

int64_t WarpgroupGemm::steps() const { return llvm::divideCeil(gemm.depth, kTilePoints); }

/// Cycles for a producer warpgroup to gather a k-tile of an operand. Each warp has its own
/// scheduler, and a piece takes twelve instructions; copies through registers wait for memory, 128
/// lines at a time. Estimates.
static double gatherCycles(const WarpgroupSide &side, const SideLayout &layout) {
  if (!side.isGathered())
    return 0;
  double pieces = double(side.tile.bytes()) / std::max<int64_t>(layout.copyBytes, 4) / 128;
  double waits = layout.copyBytes > 2 ? 0 : 700.0 * llvm::divideCeil(side.tile.lines, 128);
  return waits + 12 * pieces;
}

/// Modelled cycles of the GEMM: waves of tiles over the multiprocessors, each multiplying 2048
/// pairs of 16-bit numbers a cycle (H100). Split-K costs a launch and moves partial sums to memory
/// and back, at 1900 bytes a cycle. Cluster split-K moves partial sums to another CTA's shared
/// memory at 32 bytes a cycle (an estimate).
double WarpgroupGemm::cycles(const Chip &chip) const {
  double speed = 1;
  for (const WarpgroupShape &shape : warpgroupShapes())
    if (shape.groups == tile.groups && shape.n == tile.n && shape.schedule == tile.schedule)
      speed = speedOf(chip, PlanKind::wgmma, tile.m(), tile.n, shape.speed, tile.tilesInProgress());
  double rounds = llvm::divideCeil(units(), chip.multiprocessors / tile.cluster());
  int64_t steps = llvm::divideCeil(partSteps(), tile.clusterSplitK);
  double pairs = double(tile.m() * tile.n * steps * kTilePoints);
  double gathers = gatherCycles(lhs, gemm.lhs) + gatherCycles(rhs, gemm.rhs);
  double cycles = 1500 + rounds * std::max(pairs / (2048 * speed), steps * gathers);
  if (parts() > 1)
    cycles += 3000 + 8.0 * double(parts() * gemm.results()) / 1900;
  if (tile.clusterSplitK > 1)
    cycles += 500 + double(tile.m() * tile.n * 4) / 32;
  return cycles;
}

double WarpgroupGemm::cyclesWithBody(const Chip &chip) const {
  double rounds = llvm::divideCeil(units(), chip.multiprocessors / tile.cluster());
  double body = gemm.bodyCycles * double(tile.m() * tile.n);
  return tile.consumers().cycles(cycles(chip), rounds, body);
}

/// Split-K factors to try: a slice has at least 8 k-tiles to be worth the cost. Factors that leave
/// a slice empty are skipped.
static SmallVector<int64_t> partsToTry(int64_t steps, int64_t given) {
  SmallVector<int64_t> all;
  int64_t most = given ? given : std::clamp<int64_t>(steps / 8, 1, 64);
  for (int64_t parts = given ? given : 1; parts <= most; ++parts) {
    int64_t used = llvm::divideCeil(steps, llvm::divideCeil(steps, std::min(parts, steps)));
    if (all.empty() || all.back() != used)
      all.push_back(used);
  }
  return all;
}

static WarpgroupSide sideOf(const TileGemm &gemm, const SideLayout &side, int64_t lines,
                            int64_t cluster) {
  WgmmaTile tile{lines, side.alongDepth};
  std::string why;
  return {tile, TensorCopy::of(gemm, side, side.operand, tile, cluster, why)};
}

static int64_t stagesThatFit(const TileGemm &gemm, const Chip &chip, const WarpgroupTile &tile) {
  return std::min(mostStages, (chip.sharedBytes - bytesBesideRing(gemm, tile)) / tile.stageBytes());
}

/// Plan without split-K, with as many stages as fit unless the tile has a number.
static WarpgroupGemm planOf(const TileGemm &gemm, const Chip &chip, WarpgroupTile tile) {
  if (tile.stages == 0)
    tile.stages = stagesThatFit(gemm, chip, tile);
  WarpgroupSide lhs = sideOf(gemm, gemm.lhs, tile.m(), 1),
                rhs = sideOf(gemm, gemm.rhs, tile.n, tile.multicast);
  if (rhs.isGathered())
    tile.multicast = 1;
  WarpgroupGemm plan{gemm, tile, lhs, rhs, partOf(gemm, tile), 0};
  plan.clusters = std::min(plan.units(), chip.multiprocessors / tile.cluster());
  return plan;
}

static bool fitsRegisters(const WarpgroupGemm &plan) {
  return plan.tile.consumers().fitsRegisters(plan);
}

/// Whether CTAs of a cluster may split k: a single work item each, equally many columns to finish,
/// and at least 8 k-tiles per CTA.
static bool maySplitKInCluster(const WarpgroupGemm &plan) {
  const WarpgroupTile &tile = plan.tile;
  return plan.units() == plan.clusters && plan.steps() / tile.clusterSplitK >= 8 &&
         tile.n / plan.part.tile.n % tile.clusterSplitK == 0;
}

static bool fitsPick(const WarpgroupGemm &plan, const TilePick &pick, bool hasParts) {
  TilePick own = plan.picked();
  if (hasParts)
    own.parts = pick.parts;
  return pick.allows(own);
}

/// Plan with the ping-pong schedule: if picked, or if the model with epilogues finds 10 % less than
/// for `other` and each warpgroup has at least two tiles. The table only knows GEMMs without
/// epilogues. Clusters of four CTAs, which would read less, take twice as long on an H200.
static std::optional<WarpgroupGemm> pingPongPlan(const TileGemm &gemm, const Chip &chip,
                                                 const std::optional<WarpgroupGemm> &other) {
  bool isPicked = gemm.pick && gemm.pick->tilesInProgress > 1;
  if (!isPicked && other && other->parts() > 1)
    return std::nullopt;
  std::optional<WarpgroupGemm> best;
  double least = other && !isPicked ? 0.9 * other->cyclesWithBody(chip) : 1e300;
  for (const WarpgroupShape &shape : warpgroupShapes())
    for (int64_t multicast : {1, 2}) {
      WarpgroupTile tile = shape.tile();
      tile.multicast = multicast;
      if (tile.schedule != kernel::Schedule::pingpong || !mayMulticast(gemm, tile, multicast))
        continue;
      WarpgroupGemm plan = planOf(gemm, chip, tile);
      bool fits = isPicked ? gemm.pick->allows(plan.picked())
                           : multicast == 2 && plan.units() >= 4 * plan.clusters;
      double cost = plan.cyclesWithBody(chip);
      if (!fitsRegisters(plan) || !fits || cost >= least)
        continue;
      least = cost;
      best.emplace(plan);
    }
  return best;
}

/// Whether a gathered GEMM is left to the mma.sync kernel of older chips. Neither model has been
/// measured, least of all the wait of gathering, and the model of mma.sync tiles omits their
/// copies: so that model has to find a quarter less, and GEMMs of more than 2^30 pairs, some
/// thousand cycles of the chip, stay with warpgroups.
static bool leavesToTiles(const WarpgroupGemm &plan, const Chip &chip) {
  const TileGemm &gemm = plan.gemm;
  double pairs = double(gemm.results()) * double(gemm.depth);
  return plan.gathers() && !gemm.pick && pairs <= double(1 << 30) &&
         gemm.cycles(chip) < 0.75 * plan.cycles(chip);
}

/// Whether wgmma and the copies of a producer warpgroup support the product; else a reason, unless
/// the chip alone is against it.
static bool isSupported(const TileGemm &gemm, const Chip &chip, std::string &why) {
  why = gemm.whyNoWarpgroups;
  if (!why.empty() || !chip.hasWarpgroups())
    return false;
  auto copiesSingleChannels = [](const SideLayout &side) {
    return side.isWindows && side.copyBytes == 2;
  };
  if (gemm.element.isF32())
    why = "the operands have 32 bits";
  else if (copiesSingleChannels(gemm.lhs) || copiesSingleChannels(gemm.rhs))
    why = "channels are copied singly";
  return why.empty();
}

std::optional<WarpgroupGemm> WarpgroupGemm::of(const TileGemm &gemm, const Chip &chip,
                                               int64_t parts, std::string &why) {
  if (!isSupported(gemm, chip, why))
    return std::nullopt;
  if (gemm.pick && gemm.pick->kind != PlanKind::wgmma) {
    why = "tiles were picked";
    return std::nullopt;
  }
  std::optional<WarpgroupGemm> best;
  double least = 0;
  bool isPick = false; // whether `best` is the table's row, which goes before the model
  auto consider = [&](const WarpgroupGemm &tried) {
    double cost = tried.cycles(chip);
    bool fits = gemm.pick && fitsPick(tried, *gemm.pick, parts > 0);
    if (!best || fits > isPick || (fits == isPick && cost < least)) {
      least = cost;
      isPick = fits;
      best.emplace(tried);
    }
  };
  for (const WarpgroupShape &shape : warpgroupShapes()) {
    WarpgroupTile tile = shape.tile();
    tile.multicast = mayMulticast(gemm, tile, 2) ? 2 : 1;
    WarpgroupGemm plan = planOf(gemm, chip, tile);
    if (tile.schedule != kernel::Schedule::cooperative || !fitsRegisters(plan))
      continue;
    for (int64_t count : partsToTry(plan.steps(), parts)) {
      WarpgroupGemm tried = plan;
      tried.part.parts = count;
      tried.clusters = std::min(tried.units(), chip.multiprocessors / tried.tile.cluster());
      consider(tried);
    }
    tile.multicast = 1;
    for (int64_t clusterSplitK : {2, 4, 8}) {
      tile.clusterSplitK = clusterSplitK;
      if (auto tried = planOf(gemm, chip, tile); parts <= 1 && maySplitKInCluster(tried))
        consider(tried);
    }
  }
  if (parts <= 1)
    if (auto pingPong = pingPongPlan(gemm, chip, best))
      best.emplace(*pingPong);
  if (best && leavesToTiles(*best, chip)) {
    why = "the product is small and operands would be copied in pieces";
    return std::nullopt;
  }
  return best;
}

/// Tile of the plan, with the cluster that the search would choose if the plan has none; stages 0:
/// as many as fit.
static std::optional<WarpgroupTile> tileOf(kernel::PlanAttr plan, const TileGemm &gemm) {
  for (const WarpgroupShape &shape : warpgroupShapes()) {
    WarpgroupTile tile = shape.tile();
    if (tile.m() != plan.getM() || tile.n != plan.getN() || tile.schedule != plan.getSchedule())
      continue;
    ArrayRef<int64_t> cluster = plan.getCluster();
    tile.multicast = !cluster.empty() ? cluster[0] : mayMulticast(gemm, tile, 2) ? 2 : 1;
    tile.clusterSplitK = cluster.empty() ? 1 : cluster[1];
    tile.stages = plan.getStages();
    return tile;
  }
  return std::nullopt;
}

/// Reason against a cluster; empty if there is code.
static StringRef whyNoCluster(const WarpgroupGemm &plan, const WarpgroupTile &wanted) {
  const WarpgroupTile &tile = plan.tile;
  if (wanted.multicast > 2 || wanted.clusterSplitK > 8 || !llvm::isPowerOf2_64(wanted.cluster()) ||
      (wanted.multicast > 1 && wanted.clusterSplitK > 1))
    return "clusters are 1x1, 2x1, 1x2, 1x4 or 1x8";
  if (tile.multicast > 1 && !mayMulticast(plan.gemm, tile, tile.multicast))
    return "blocks of the cluster would have no rows";
  if (tile.clusterSplitK > 1 && !maySplitKInCluster(plan))
    return "blocks of a cluster cannot divide k";
  return "";
}

std::optional<WarpgroupGemm> WarpgroupGemm::by(kernel::PlanAttr plan, const TileGemm &gemm,
                                               const Chip &chip, std::string &why) {
  if (!isSupported(gemm, chip, why)) {
    if (why.empty())
      why = "the chip has no warpgroups";
    return std::nullopt;
  }
  std::optional<WarpgroupTile> tile = tileOf(plan, gemm);
  if (!tile) {
    why = "warpgroup plans have no tile of this shape";
    return std::nullopt;
  }
  WarpgroupGemm made = planOf(gemm, chip, *tile);
  int64_t most = stagesThatFit(gemm, chip, *tile);
  made.part.parts = partsToTry(made.steps(), plan.getSplitK()).front();
  made.clusters = std::min(made.units(), chip.multiprocessors / made.tile.cluster());
  why = whyNoCluster(made, *tile);
  if (made.tile.multicast != tile->multicast && !plan.getCluster().empty())
    why = "a gathered right operand has no multicast";
  else if (made.tile.stages < 3 || made.tile.stages > most)
    why = "stages are 3 to " + std::to_string(most);
  else if (made.parts() != plan.getSplitK())
    why = "k has at most " + std::to_string(made.parts()) + " equal slices";
  else if (!fitsRegisters(made))
    why = "gathered operands have no code for this plan";
  return why.empty() ? std::optional(made) : std::nullopt;
}

int64_t WarpgroupGemm::sharedBytes() const {
  return tile.ringBytes() + bytesBesideRing(gemm, tile);
}

int64_t WarpgroupGemm::tensorBytes() const {
  int64_t bytes = 0;
  for (const WarpgroupSide *side : {&lhs, &rhs})
    bytes += side->isGathered() ? 0 : side->tile.bytes();
  return bytes;
}

// GEMM as seen by gathers: a cluster's CTAs may have lines past the end of the result.
TileGemm WarpgroupGemm::gathered() const {
  TileGemm copied = gemm;
  copied.parts = 1;
  copied.readsAhead = false;
  copied.partDepth = copied.depth;
  copied.tile = {tile.m() * tile.multicast, tile.n, tileRowBytes, tile.stages, 4, 1};
  return copied;
}

// A stage is free once the next stage is in use, so at most stages - 2 k-tiles are in flight. Zero:
// no operand is gathered by cp.async.
int64_t WarpgroupGemm::stepsAhead() const {
  assert(tile.stages >= 3 && "expected a stage for a step ahead");
  auto isAsync = [](const WarpgroupSide &side, const SideLayout &layout) {
    return side.isGathered() && layout.copyBytes > 2;
  };
  bool any = isAsync(lhs, gemm.lhs) || isAsync(rhs, gemm.rhs);
  return any ? std::min<int64_t>(tile.stages - 2, 4) : 0;
}

std::string WarpgroupGemm::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "warpgroups: tiles of " << tile.m() << "x" << tile.n << "x" << kTilePoints << " in "
     << tile.stages << " stages, " << tile.consumers().remark() << "clusters of " << tile.cluster()
     << (tile.clusterSplitK > 1 ? " with split-K" : "") << ", sides along "
     << (gemm.lhs.alongDepth ? "k" : "m") << " and " << (gemm.rhs.alongDepth ? "k" : "n");
  if (tensorBytes())
    os << ", tensor copies";
  if (lhs.isGathered())
    os << ", left side in pieces of " << gemm.lhs.copyBytes << " bytes";
  if (rhs.isGathered())
    os << ", right side in pieces of " << gemm.rhs.copyBytes << " bytes";
  if (parts() > 1)
    os << ", split-K " << parts();
  return text;
}
