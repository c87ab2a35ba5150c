// Plans of attention: the choice of algorithm and tiles, and checks of a plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/AttentionPlan.h"
#include "lib/Codegen/NVPTX/Attention/FlashBlock.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using kernel::AttentionPlanAttr;
using kernel::PlanKind;

// ---- Launches ----

int64_t GradLaunch::stageBytes(const FlashShape &shape, const FlashTile &tile) const {
  int64_t numbers = ownsQueries ? 0 : 3 * 4 * tile.columns;
  int64_t bytes = 2 * RowTile{tile.columns, shape.width}.bytes() + numbers;
  return llvm::alignTo(bytes, FlashBlock::memoryAlignment(shape));
}

int64_t GradLaunch::sharedBytes(const FlashShape &shape, const FlashTile &tile) const {
  return ownSides() * RowTile{tile.rows(), shape.width}.bytes() +
         tile.stages * stageBytes(shape, tile);
}

ArrayRef<GradLaunch> nvptx::gradLaunches(size_t tiles) {
  static constexpr GradLaunch two[] = {{false, true, true}, {true, true, false}};
  static constexpr GradLaunch three[] = {
      {false, false, true}, {false, true, false}, {true, true, false}};
  return tiles == 2 ? ArrayRef(two) : ArrayRef(three);
}

int64_t nvptx::forwardSharedBytes(const FlashShape &shape, const FlashTile &tile) {
  return RowTile{tile.rows(), shape.width}.bytes() +
         tile.stages * 2 * RowTile{tile.columns, shape.width}.bytes();
}

// ---- The choice ----

/// Two 16-row fragments per warp halve the reads of shared memory, as far as registers allow: a
/// bias takes registers, too.
static FlashTile chooseForwardTile(const FlashShape &shape) {
  FlashTile tile{4, 16, 32, 2};
  if (shape.warpgroups)
    tile = FlashTile{8, 16, shape.width <= 128 ? 128 : 64, 2};
  else if (shape.width <= 64)
    tile = shape.biased ? FlashTile{8, 16, 64, 2} : FlashTile{4, 32, 64, 2};
  else if (shape.width <= 128)
    tile = FlashTile{8, 16, 32, 2};
  return tile.forRows(shape.queries, shape);
}

static FlashTile chooseGradTile(const FlashShape &shape, const GradLaunch &launch) {
  bool isWide = shape.width > 128;
  FlashTile tile{isWide && !shape.warpgroups ? 4 : 8, 16, 32, 2};
  if (shape.width <= 64)
    tile.columns = 64;
  else if (isWide && launch.sumsFirst)
    tile.columns = 16;
  if (shape.warpgroups)
    tile.columns = isWide && launch.sumsFirst ? 32 : 64;
  return tile.forRows(launch.ownsQueries ? shape.queries : shape.keys, shape);
}

static SmallVector<FlashTile> chooseTiles(kernel::AttentionOp, const FlashShape &shape) {
  return {chooseForwardTile(shape)};
}
/// Accumulators of heads wider than 128 leave no registers for a second sum, so dV and dK take a
/// launch each.
static SmallVector<FlashTile> chooseTiles(kernel::AttentionGradOp, const FlashShape &shape) {
  return llvm::map_to_vector(
      gradLaunches(shape.width <= 128 ? 2 : 3),
      [&](const GradLaunch &launch) { return chooseGradTile(shape, launch); });
}

template <typename Op> static AttentionPlanAttr choosePlan(Op op, const Chip &chip) {
  MLIRContext *context = op.getContext();
  FlashShape shape = FlashShape::of(op, chip.hasWarpgroups());
  if (std::string why = whyPlain(op, shape, chip); !why.empty())
    return AttentionPlanAttr::get(context, PlanKind::plain, {}, why);
  auto tiles = llvm::map_to_vector(chooseTiles(op, shape), [&](const FlashTile &tile) {
    return kernel::ScoreTileAttr::get(context, tile.warps, tile.warpRows, tile.columns,
                                      tile.stages);
  });
  return AttentionPlanAttr::get(context, chip.hasWarpgroups() ? PlanKind::wgmma : PlanKind::mma,
                                tiles, "");
}

// ---- Checks ----

static std::string whyTooLarge(const FlashTile &tile, int64_t bytes, const Chip &chip) {
  if (bytes <= chip.sharedBytes)
    return "";
  return tile.describe() + " take " + std::to_string(bytes) +
         " bytes of shared memory, and a block has at most " + std::to_string(chip.sharedBytes);
}

/// Reason why a launch cannot have the tile; empty if it can.
static std::string whyNotTiles(kernel::AttentionOp op, const FlashShape &shape, const Chip &chip) {
  FlashTile tile(op.getPlan()->getTiles().front());
  return whyTooLarge(tile, forwardSharedBytes(shape, tile), chip);
}
/// As above. Each thread of a launch that owns keys copies the statistics of one query of a tile.
static std::string whyNotTiles(kernel::AttentionGradOp op, const FlashShape &shape,
                               const Chip &chip) {
  ArrayRef<kernel::ScoreTileAttr> tiles = op.getPlan()->getTiles();
  for (auto [attr, launch] : llvm::zip_equal(tiles, gradLaunches(tiles.size()))) {
    FlashTile tile(attr);
    if (!launch.ownsQueries && tile.columns > tile.threads())
      return tile.describe() + " have more columns than a block has threads";
    if (std::string why = whyTooLarge(tile, launch.sharedBytes(shape, tile), chip); !why.empty())
      return why;
  }
  return "";
}

/// Reason why the chip has no code for the op's plan; empty if there is code.
template <typename Op> static std::string whyNoCode(Op op, const Chip &chip) {
  PlanKind kind = op.getPlan()->getKind();
  if (kind == PlanKind::plain)
    return "";
  if (kind == PlanKind::wgmma && !chip.hasWarpgroups())
    return "the chip has no warpgroups";
  FlashShape shape = FlashShape::of(op, kind == PlanKind::wgmma);
  std::string why = whyPlain(op, shape, chip);
  return why.empty() ? whyNotTiles(op, shape, chip) : why;
}

template <typename Op> static LogicalResult check(Op op, const Chip &chip) {
  if (!op.getPlan())
    return op.emitOpError("expected a plan, which kernel-configure stores");
  std::string why = whyNoCode(op, chip);
  if (why.empty())
    return success();
  return op.emitOpError() << "expected a plan that " << chip.name << " has code for, but got "
                          << *op.getPlan() << ": " << why;
}

template <typename Op> static LogicalResult configure(Op op, const Chip &chip) {
  if (!op.getPlan())
    op.setPlanAttr(choosePlan(op, chip));
  return check(op, chip);
}

LogicalResult nvptx::configureAttentionPlan(Operation *op, const Chip &chip) {
  if (auto forward = dyn_cast<kernel::AttentionOp>(op))
    return configure(forward, chip);
  return configure(cast<kernel::AttentionGradOp>(op), chip);
}
LogicalResult nvptx::checkAttentionPlan(Operation *op, const Chip &chip) {
  if (auto forward = dyn_cast<kernel::AttentionOp>(op))
    return check(forward, chip);
  return check(cast<kernel::AttentionGradOp>(op), chip);
}
