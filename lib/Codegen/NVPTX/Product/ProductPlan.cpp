// Enumeration of the plans of a GEMM, for measurements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/ProductPlan.h"
#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

ProductPlan ProductPlan::of(const TileGemm &gemm, const std::optional<WarpgroupGemm> &warpgroups,
                            const Chip &chip) {
  if (warpgroups)
    return {warpgroups->picked(), gemm.size(), warpgroups->cycles(chip)};
  return {gemm.picked(), gemm.size(), gemm.cycles(chip)};
}

StringRef nvptx::formName(ProductForm form) {
  return form == ProductForm::Numbers ? "Numbers"
         : form == ProductForm::Tiles ? "Tiles"
                                      : "Warpgroups";
}

std::optional<ProductPlan> nvptx::planOf(Operation *operation, const Chip &chip) {
  return llvm::TypeSwitch<Operation *, std::optional<ProductPlan>>(operation)
      .Case<kernel::GemmOp, kernel::ConvOp, kernel::ConvFilterOp>(
          [&](auto op) { return planOf(op, chip); })
      .Default([](Operation *) { return std::nullopt; });
}

void nvptx::setPick(Operation *op, const TilePick &pick) {
  Builder b(op->getContext());
  SmallVector<int64_t> members{int64_t(pick.form), pick.m, pick.n, pick.parts, pick.dividers};
  if (pick.turns > 1)
    members.append({pick.turns, pick.sharers});
  op->setAttr(pickName, b.getDenseI64ArrayAttr(members));
}

LogicalResult nvptx::checkPick(Operation *op, const Chip &chip) {
  Attribute attribute = op->getAttr(pickName);
  if (!attribute)
    return success();
  if (auto given = dyn_cast<DenseI64ArrayAttr>(attribute); given && given.empty())
    return success();
  if (std::optional<TilePick> wanted = givenPick(op))
    if (auto plan = planOf(op, chip); plan && wanted->allows(plan->pick))
      return success();
  return op->emitOpError() << "expected " << pickName << " of a tile that " << chip.name
                           << " has code for, but got " << attribute;
}

/// All tiles with several split-K factors, cheapest first by the model.
static SmallVector<ProductPlan> everyWay(Operation *op, const Chip &chip) {
  SmallVector<ProductPlan> all;
  auto isCheaper = [](const ProductPlan &a, const ProductPlan &b) { return a.cycles < b.cycles; };
  auto tryPick = [&](const TilePick &pick) {
    setPick(op, pick);
    if (auto plan = planOf(op, chip); plan && pick.allows(plan->pick))
      all.insert(std::upper_bound(all.begin(), all.end(), *plan, isCheaper), *plan);
  };
  auto tryParts = [&](ProductForm form, int64_t m, int64_t n) {
    for (int64_t parts : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64})
      tryPick({form, m, n, parts, 1});
  };
  for (int64_t size : {128, 64})
    tryPick({ProductForm::Numbers, size, size, 1, 1});
  for (const TileSpeed &tile : tileShapes(chip))
    tryParts(ProductForm::Tiles, tile.shape.m, tile.shape.n);
  for (const WarpgroupShape &shape : warpgroupShapes()) {
    WarpgroupTile tile = shape.tile();
    for (int64_t sharers : {1, 2})
      if (tile.takesTurns)
        tryPick({ProductForm::Warpgroups, tile.m(), tile.n, 1, 1, tile.turns(), sharers});
    if (tile.takesTurns)
      continue;
    tryParts(ProductForm::Warpgroups, tile.m(), tile.n);
    for (int64_t dividers : {2, 4, 8})
      tryPick({ProductForm::Warpgroups, tile.m(), tile.n, 1, dividers});
  }
  return all;
}

SmallVector<ProductPlan> nvptx::trialsOf(Operation *op, const Chip &chip) {
  constexpr int mostSplits = 4, mostOthers = 2;
  op->setAttr(pickName, DenseI64ArrayAttr::get(op->getContext(), {}));
  std::optional<ProductPlan> own = planOf(op, chip);
  if (!own)
    return {};
  SmallVector<ProductPlan> chosen{*own};
  auto hasTile = [&](const ProductPlan &plan) {
    return llvm::any_of(chosen, [&](const ProductPlan &known) {
      return known.pick.form == plan.pick.form && known.pick.m == plan.pick.m &&
             known.pick.n == plan.pick.n && known.pick.turns == plan.pick.turns;
    });
  };
  auto isKnown = [&](const ProductPlan &plan) {
    return llvm::any_of(chosen, [&](const auto &known) { return known.pick == plan.pick; });
  };
  SmallVector<ProductPlan> all = everyWay(op, chip);
  int others = 0, splits = 0;
  for (const ProductPlan &plan : all)
    if (!hasTile(plan) && (plan.pick.form == own->pick.form || others++ < mostOthers))
      chosen.push_back(plan);
  for (const ProductPlan &plan : all)
    if (!isKnown(plan) && plan.pick.form == own->pick.form && splits++ < mostSplits)
      chosen.push_back(plan);
  setPick(op, own->pick);
  return chosen;
}
