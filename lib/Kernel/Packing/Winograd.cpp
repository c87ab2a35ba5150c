// Selection of Winograd convolution for 3x3 convolutions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Kernel/Passes.h"
#include "mlir-dialects/Train/Program/Origin.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELWINOGRAD
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

namespace {
/// Transformed filters of a program, by filter and tile.
using Filters = DenseMap<std::pair<Value, int64_t>, Value>;

struct KernelWinograd : ampc::impl::KernelWinogradBase<KernelWinograd> {
  using KernelWinogradBase::KernelWinogradBase;
  void runOnOperation() override;
};
} // namespace

static Value transformFilter(kernel::ConvOp op, int64_t side, int64_t tile, const Target &target) {
  OpBuilder builder(op);
  builder.setInsertionPointAfterValue(op.getRhs());
  auto filter = cast<RankedTensorType>(op.getRhs().getType());
  auto matrix = RankedTensorType::get({side * side * filter.getDimSize(0), filter.getDimSize(3)},
                                      filter.getElementType());
  auto packing = kernel::PackedAttr::get(op.getContext(), kernel::Side::rhs, 1,
                                         target.packedBytes(matrix, kernel::Side::rhs, 1));
  auto type = RankedTensorType::get(matrix.getShape(), matrix.getElementType(), packing);
  auto transform = kernel::WinogradFilterOp::create(builder, op.getLoc(), type, op.getRhs(), tile);
  setOrigins(transform, originsOf(op->getResult(0)));
  return transform;
}

static void useTiles(kernel::ConvOp op, int64_t tile, Value filter) {
  OpBuilder builder(op);
  auto tiled = kernel::WinogradOp::create(builder, op.getLoc(), op->getResultTypes(), op.getLhs(),
                                          filter, op.getInputs(), tile, op.getSpace(),
                                          op.getPadding(), op.getInputMaps(), op.getResultMaps());
  tiled->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  tiled.getBody().takeBody(op.getBody());
  op->replaceAllUsesWith(tiled);
  op.erase();
}

void KernelWinograd::runOnOperation() {
  const Target *target = targetOf(getOperation());
  if (!target)
    return signalPassFailure();
  for (auto program : getOperation().getOps<kernel::ProgramOp>()) {
    Filters filters;
    for (auto op : llvm::make_early_inc_range(program.getBody().front().getOps<kernel::ConvOp>())) {
      int64_t used = target->getWinogradTile(op, tile);
      if (!used)
        continue;
      Value &filter = filters[{op.getRhs(), used}];
      if (!filter)
        filter = transformFilter(op, used + 2, used, *target);
      useTiles(op, used, filter);
    }
  }
}
