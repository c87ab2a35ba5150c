// Plans of products: the search, and kernels from plans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/ProductPlan.h"
#include "lib/Codegen/NVPTX/Hopper/ConsumerSchedule.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using kernel::PlanAttr;
using kernel::PlanKind;

/// Plan of a kernel without tiles.
static PlanAttr planWithoutTiles(MLIRContext *context, PlanKind kind, StringRef reason) {
  return PlanAttr::get(context, kind, 0, 0, 0, 1, {}, kernel::Schedule::cooperative, reason);
}

// ---- A product by its plan ----

/// The plan with all members, as the product follows it.
static PlanAttr completed(const PlannedProduct &planned, MLIRContext *context, StringRef reason) {
  if (const std::optional<WarpgroupGemm> &gemm = planned.warpgroups)
    return PlanAttr::get(context, PlanKind::wgmma, gemm->tile.m(), gemm->tile.n, gemm->tile.stages,
                         gemm->parts(), {gemm->tile.multicast, gemm->tile.clusterSplitK},
                         gemm->tile.schedule, reason);
  const TileGemm &gemm = planned.gemm;
  return PlanAttr::get(context, gemm.onMatrixUnits() ? PlanKind::mma : PlanKind::simt, gemm.tile.m,
                       gemm.tile.n, gemm.tile.stages, gemm.parts, {}, kernel::Schedule::cooperative,
                       reason);
}

std::optional<PlannedProduct> PlannedProduct::of(const TileGemm &product, PlanAttr plan,
                                                 const Chip &chip, std::string &why) {
  PlannedProduct planned{plan, product, std::nullopt};
  bool hasCode = plan.getKind() == PlanKind::wgmma
                     ? bool(planned.warpgroups = WarpgroupGemm::by(plan, product, chip, why))
                     : planned.gemm.follow(plan, chip, why);
  if (!hasCode)
    return std::nullopt;
  planned.plan = completed(planned, plan.getContext(), plan.getReason());
  return planned;
}

double PlannedProduct::cycles(const Chip &chip) const {
  return warpgroups ? warpgroups->cycles(chip) : gemm.cycles(chip);
}

std::string PlannedProduct::describe() const {
  if (warpgroups)
    return warpgroups->describe();
  StringRef why = plan.getReason();
  return gemm.describe() + (why.empty() ? "" : ", no warpgroups: " + why.str());
}

void PlannedProduct::emit(FusedKernelOpInterface op, DeviceCode &code,
                          const TileProduct &product) const {
  if (warpgroups)
    return emitWarpgroups(op, code, *warpgroups, product);
  emitTiles(op, code, product);
}

int64_t PlannedProduct::finalWarps(FusedKernelOpInterface op, const ProductResults &results) const {
  return warpgroups ? nvptx::finalWarps(op, *warpgroups, results)
                    : nvptx::finalWarps(op, gemm, results);
}

// ---- The search ----

/// The fastest plan, by the table and by the model. `parts`: split-K factor, or 0.
static PlannedProduct choose(const TileGemm &product, MLIRContext *context, const Chip &chip,
                             int64_t parts = 0, bool readsTable = true) {
  PlannedProduct planned{{}, product, std::nullopt};
  planned.gemm.choose(chip, parts, readsTable);
  std::string why;
  planned.warpgroups = WarpgroupGemm::of(planned.gemm, chip, parts, why);
  planned.plan = completed(planned, context, planned.warpgroups ? "" : why);
  return planned;
}

/// First the split-K factor, the largest of the products' own choices, because products of one
/// kernel share a workspace; then the tiles for that factor, among which are tiles that would not
/// have chosen the factor. Example: [64, 4] with k = 1024 on sm_80 -> split-K 4 of tiles [128, 32],
/// then tiles [64, 64] in 4 slices.
static SmallVector<PlanAttr> choosePlans(const OpProducts &op, MLIRContext *context,
                                         const Chip &chip) {
  if (op.products.empty())
    return {planWithoutTiles(context, op.other, op.why)};
  auto chooseAll = [&](int64_t parts) {
    return llvm::map_to_vector(op.products, [&](const TileGemm &product) {
      return choose(product, context, chip, parts).plan;
    });
  };
  int64_t most = 1;
  for (PlanAttr plan : chooseAll(0))
    most = std::max(most, plan.getSplitK());
  return chooseAll(most);
}

// ---- Ops ----

static OpProducts productsFor(Operation *operation, const Chip &chip) {
  return llvm::TypeSwitch<Operation *, OpProducts>(operation)
      .Case<kernel::GemmOp, kernel::ConvOp, kernel::ConvFilterOp>(
          [&](auto op) { return nvptx::productsOf(op, chip); })
      .Default([](Operation *) { return OpProducts(); });
}

static bool isWithoutTiles(PlanAttr plan) {
  return plan.getKind() == PlanKind::plain || plan.getKind() == PlanKind::depthwise;
}

/// The given plans with all members; empty, with a reason in `why`, if the chip has no code for a
/// plan. Plain code exists for every op but a depthwise convolution.
static SmallVector<PlanAttr> complete(const OpProducts &op, ArrayRef<PlanAttr> plans,
                                      const Chip &chip, std::string &why) {
  PlanKind first = plans.front().getKind();
  bool isOther = op.products.empty() ? first == op.other : first == PlanKind::plain;
  if (plans.size() == 1 && isOther)
    return llvm::to_vector(plans);
  if (plans.size() != op.products.size()) {
    why = op.products.empty() ? op.why
                              : "the op has " + std::to_string(op.products.size()) + " products";
    return {};
  }
  SmallVector<PlanAttr> all;
  for (auto [product, plan] : llvm::zip_equal(op.products, plans)) {
    std::optional<PlannedProduct> planned = PlannedProduct::of(product, plan, chip, why);
    if (!planned)
      return {};
    all.push_back(planned->plan);
  }
  return all;
}

static LogicalResult noCode(Operation *op, ArrayRef<PlanAttr> plans, const Chip &chip,
                            const std::string &why) {
  InFlightDiagnostic error = op->emitOpError()
                             << "expected a plan that " << chip.name << " has code for, but got ";
  llvm::interleaveComma(plans, error);
  return error << ": " << why;
}

LogicalResult nvptx::configurePlans(Operation *op, const Chip &chip) {
  OpProducts products = productsFor(op, chip);
  SmallVector<PlanAttr> given = kernel::plansOf(op);
  std::string why;
  SmallVector<PlanAttr> plans = given.empty() ? choosePlans(products, op->getContext(), chip)
                                              : complete(products, given, chip, why);
  if (plans.empty())
    return noCode(op, given, chip, why);
  kernel::setPlans(op, plans);
  return success();
}

LogicalResult nvptx::checkPlans(Operation *op, const Chip &chip) {
  SmallVector<PlanAttr> plans = kernel::plansOf(op);
  if (plans.empty())
    return op->emitOpError("expected a plan, which kernel-configure stores");
  std::string why;
  return complete(productsFor(op, chip), plans, chip, why).empty() ? noCode(op, plans, chip, why)
                                                                   : success();
}

std::vector<PlannedProduct> nvptx::plannedOf(Operation *op, const Chip &chip) {
  std::vector<PlannedProduct> all;
  SmallVector<PlanAttr> plans = kernel::plansOf(op);
  if (isWithoutTiles(plans.front()))
    return all;
  std::string why;
  for (auto [product, plan] : llvm::zip_equal(productsFor(op, chip).products, plans))
    all.push_back(*PlannedProduct::of(product, plan, chip, why));
  return all;
}

std::optional<PlannedProduct> nvptx::singlePlanOf(Operation *op, const Chip &chip) {
  std::vector<PlannedProduct> planned = plannedOf(op, chip);
  if (planned.size() != 1)
    return std::nullopt;
  return planned.front();
}

// ---- Trials ----

namespace {
/// All plans of a product with code, cheapest first by the model.
class Candidates {
public:
  Candidates(const TileGemm &product, MLIRContext *context, const Chip &chip);
  std::vector<PlannedProduct> all;

private:
  void add(PlanKind kind, int64_t m, int64_t n, int64_t parts = 1, ArrayRef<int64_t> cluster = {},
           kernel::Schedule schedule = kernel::Schedule::cooperative);
  void addSplits(PlanKind kind, int64_t m, int64_t n) {
    for (int64_t parts : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64})
      add(kind, m, n, parts);
  }
  void addWarpgroups(const WarpgroupTile &tile);

  const TileGemm &product;
  MLIRContext *context;
  const Chip &chip;
};
} // namespace

void Candidates::add(PlanKind kind, int64_t m, int64_t n, int64_t parts, ArrayRef<int64_t> cluster,
                     kernel::Schedule schedule) {
  std::string why;
  auto plan = PlanAttr::get(context, kind, m, n, /*stages=*/0, parts, cluster, schedule, "");
  std::optional<PlannedProduct> planned = PlannedProduct::of(product, plan, chip, why);
  if (!planned)
    return;
  auto isCheaper = [&](const PlannedProduct &a, const PlannedProduct &b) {
    return a.cycles(chip) < b.cycles(chip);
  };
  all.insert(std::upper_bound(all.begin(), all.end(), *planned, isCheaper), *planned);
}

void Candidates::addWarpgroups(const WarpgroupTile &tile) {
  if (!tile.consumers().splitsK()) {
    for (int64_t multicast : {1, 2})
      add(PlanKind::wgmma, tile.m(), tile.n, 1, {multicast, 1}, tile.schedule);
    return;
  }
  addSplits(PlanKind::wgmma, tile.m(), tile.n);
  for (int64_t clusterSplitK : {2, 4, 8})
    add(PlanKind::wgmma, tile.m(), tile.n, 1, {1, clusterSplitK});
}

Candidates::Candidates(const TileGemm &product, MLIRContext *context, const Chip &chip)
    : product(product), context(context), chip(chip) {
  for (int64_t size : {128, 64})
    add(PlanKind::simt, size, size, product.ranges);
  for (const TileSpeed &tile : tileShapes(chip))
    addSplits(PlanKind::mma, tile.shape.m, tile.shape.n);
  for (const WarpgroupShape &shape : warpgroupShapes())
    addWarpgroups(shape.tile());
}

std::vector<PlannedProduct> nvptx::trialsOf(Operation *op, const Chip &chip) {
  constexpr int mostSplits = 4, mostOthers = 2;
  OpProducts products = productsFor(op, chip);
  if (products.products.size() != 1 || products.phases != 1)
    return {};
  const TileGemm &product = products.products.front();
  MLIRContext *context = op->getContext();
  std::vector<PlannedProduct> chosen{choose(product, context, chip, 0, /*readsTable=*/false)};
  TilePick own = chosen.front().picked();
  auto hasTile = [&](const TilePick &pick) {
    return llvm::any_of(chosen, [&](const PlannedProduct &known) {
      TilePick other = known.picked();
      return other.kind == pick.kind && other.m == pick.m && other.n == pick.n &&
             other.tilesInProgress == pick.tilesInProgress;
    });
  };
  auto isKnown = [&](const TilePick &pick) {
    return llvm::any_of(chosen,
                        [&](const PlannedProduct &known) { return known.picked() == pick; });
  };
  std::vector<PlannedProduct> all = Candidates(product, context, chip).all;
  int others = 0, splits = 0;
  for (const PlannedProduct &planned : all)
    if (TilePick pick = planned.picked();
        !hasTile(pick) && (pick.kind == own.kind || others++ < mostOthers))
      chosen.push_back(planned);
  for (const PlannedProduct &planned : all)
    if (TilePick pick = planned.picked();
        !isKnown(pick) && pick.kind == own.kind && splits++ < mostSplits)
      chosen.push_back(planned);
  return chosen;
}
