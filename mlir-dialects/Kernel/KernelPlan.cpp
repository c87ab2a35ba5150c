// Plans and blockings: constraints, and access to plans of products on any op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Kernel/Kernel.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::kernel;

static bool isPositive(int64_t number) { return number > 0 && llvm::isInt<32>(number); }
static bool areSizes(ArrayRef<int64_t> sizes) {
  return sizes.size() == 2 && llvm::all_of(sizes, isPositive);
}

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError, PlanKind kind,
                               int64_t m, int64_t n, int64_t stages, int64_t splitK,
                               ArrayRef<int64_t> cluster, Schedule schedule, StringRef) {
  bool isPingPong = schedule == Schedule::pingpong;
  bool hasTiles = kind != PlanKind::plain && kind != PlanKind::depthwise;
  if (hasTiles ? !isPositive(m) || !isPositive(n) : m || n || stages || splitK != 1) // 1.
    return emitError() << "expected a plan " << stringifyPlanKind(kind)
                       << (hasTiles ? " of a tile of at least one row and column"
                                    : " without tiles and slices")
                       << ", but got m = " << m << ", n = " << n << ", stages = " << stages
                       << " and split_k = " << splitK;
  if (stages < 0 || !llvm::isInt<32>(stages) || !isPositive(splitK) ||
      !llvm::all_of(cluster, isPositive) || (!cluster.empty() && cluster.size() != 2)) // 2.
    return emitError()
           << "expected stages of at least 0, split_k of at least 1 and a cluster of two "
              "positive sizes, but got "
           << stages << ", " << splitK << " and [" << cluster << "]";
  if (kind != PlanKind::wgmma && (isPingPong || !cluster.empty())) // 3.
    return emitError()
           << "expected a cluster and the schedule pingpong of plans wgmma only, but got "
           << stringifyPlanKind(kind);
  bool splitsInCluster = !cluster.empty() && cluster[1] > 1;
  if (isPingPong + splitsInCluster + (splitK > 1) > 1) // 4.
    return emitError() << "expected split_k, slices of k in the cluster or the schedule pingpong, "
                          "but got several of the three";
  return success();
}

LogicalResult ScoreTileAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t warps,
                                    int64_t rows, int64_t columns, int64_t stages) {
  auto isPower = [](int64_t number, int64_t least, int64_t most) {
    return number >= least && number <= most && llvm::isPowerOf2_64(number);
  };
  if (!isPower(warps, 2, 32)) // 1.
    return emitError() << "expected warps, a power of 2, of 2 to 32, but got " << warps;
  if (!isPower(rows, 16, 64) || !isPower(columns, 16, 256)) // 2.
    return emitError()
           << "expected powers of 2, rows of 16 to 64 and columns of 16 to 256, but got " << rows
           << " and " << columns;
  if (stages < 2 || stages > 8) // 3.
    return emitError() << "expected stages of 2 to 8, but got " << stages;
  return success();
}

LogicalResult AttentionPlanAttr::verify(function_ref<InFlightDiagnostic()> emitError, PlanKind kind,
                                        ArrayRef<ScoreTileAttr> tiles, StringRef reason) {
  if (kind != PlanKind::wgmma && kind != PlanKind::mma && kind != PlanKind::plain) // 1.
    return emitError() << "expected a plan wgmma, mma or plain of an attention, but got "
                       << stringifyPlanKind(kind);
  if (kind == PlanKind::plain ? !tiles.empty() : tiles.empty() || !reason.empty()) // 2.
    return emitError() << "expected tiles and no reason of plans wgmma and mma, and no tiles of "
                          "plans plain, but got "
                       << tiles.size() << " tiles of a plan " << stringifyPlanKind(kind);
  auto fitsWarpgroup = [](ScoreTileAttr tile) {
    return tile.getRows() == 16 && tile.getWarps() % 4 == 0;
  };
  if (kind == PlanKind::wgmma && !llvm::all_of(tiles, fitsWarpgroup)) // 3.
    return emitError() << "expected 16 rows per warp and multiples of 4 warps of a plan wgmma";
  return success();
}

LogicalResult BlockingAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef,
                                   int64_t rows, int64_t columns, LhsFeed lhs, RhsFeed,
                                   int64_t depth, bool, ArrayRef<int64_t> task,
                                   ArrayRef<int64_t> pixels) {
  if (!isPositive(rows) || !isPositive(columns) || !isPositive(depth) || !areSizes(task)) // 1.
    return emitError() << "expected rows, columns, a depth and a task of two sizes of at least 1, "
                          "but got "
                       << rows << ", " << columns << ", " << depth << " and [" << task << "]";
  bool isTile = areSizes(pixels) && pixels[0] * pixels[1] == rows;
  if (lhs == LhsFeed::Runs ? !isTile : !pixels.empty()) // 2.
    return emitError() << "expected pixels of two sizes, " << rows
                       << " together, of runs only, but got [" << pixels << "]";
  return success();
}

LogicalResult FilterBlockingAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef,
                                         FilterKind kind, ArrayRef<int64_t> tile,
                                         ArrayRef<int64_t> block, ArrayRef<int64_t> task) {
  if (!areSizes(block) || !areSizes(task)) // 1.
    return emitError() << "expected a block and a task of two sizes of at least 1, but got ["
                       << block << "] and [" << task << "]";
  bool hasTile = kind == FilterKind::pixels || kind == FilterKind::windows;
  if (hasTile ? !areSizes(tile) : !tile.empty()) // 2.
    return emitError() << "expected a tile of two sizes of at least 1 of pixels and windows only, "
                          "but got ["
                       << tile << "]";
  return success();
}

LogicalResult AttentionBlockingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                            int64_t queries, int64_t keys) {
  if (!isPositive(queries) || !isPositive(keys)) // 1.
    return emitError() << "expected a tile of at least one query and key, but got " << queries
                       << " and " << keys;
  return success();
}

SmallVector<PlanAttr> kernel::plansOf(Operation *op) {
  if (auto conv = dyn_cast<ConvOp>(op))
    return conv.getPlans() ? llvm::to_vector(conv.getPlans()->getAsRange<PlanAttr>())
                           : SmallVector<PlanAttr>();
  auto plan = op->getAttrOfType<PlanAttr>("plan");
  return plan ? SmallVector<PlanAttr>{plan} : SmallVector<PlanAttr>();
}

void kernel::setPlans(Operation *op, ArrayRef<PlanAttr> plans) {
  if (auto conv = dyn_cast<ConvOp>(op))
    return conv.setPlansAttr(
        ArrayAttr::get(op->getContext(), SmallVector<Attribute>(plans.begin(), plans.end())));
  assert(plans.size() == 1 && "expected one plan");
  op->setAttr("plan", plans.front());
}
