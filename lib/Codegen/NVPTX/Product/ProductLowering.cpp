// kernel.gemm: tiles on matrix units where supported, else a thread per sum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"
#include "lib/Codegen/NVPTX/Product/ProductPlan.h"
#include "lib/Codegen/NVPTX/Product/TileProduct.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Address of an operand's part for a batch entry.
static Value startOf(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side, Value pointer,
                     ArrayRef<Value> batch) {
  SmallVector<Value> dims(batch);
  dims.append(3, e.index(0));
  return e.address(pointer, gemm.element, target::position(e, side.access, dims));
}

OpProducts nvptx::productsOf(kernel::GemmOp op, const Chip &chip) {
  OpProducts all;
  if (std::optional<TileGemm> gemm = TileGemm::of(op, chip, all.why))
    all.products.push_back(*gemm);
  return all;
}

static void emitGemm(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::GemmOp>(operation);
  std::optional<PlannedProduct> planned = singlePlanOf(op, code.chip);
  if (!planned) {
    code.describe(describePlain(op.getPlan()->getReason()));
    ThreadPerPoint points(code);
    return target::emitPlainGemm(op, points);
  }
  code.describe(planned->describe());
  auto copyLhs = [](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                    const BlockTile &place, int64_t lines) {
    Value start = startOf(e, gemm, gemm.lhs, pointers.operands[0], place.batch);
    return std::make_unique<MatrixCopy>(e, gemm, gemm.lhs, lines, start, place.line);
  };
  auto copyRhs = [](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                    const BlockTile &place, int64_t lines) {
    Value start = startOf(e, gemm, gemm.rhs, pointers.operands[1], place.batch);
    return std::make_unique<MatrixCopy>(e, gemm, gemm.rhs, lines, start, place.column);
  };
  planned->emit(op, code, {planned->gemm, ProductResults::of(op), copyLhs, copyRhs});
}

static int64_t gemmWorkspace(Operation *op, const Chip &chip) {
  std::optional<PlannedProduct> planned = singlePlanOf(op, chip);
  return planned ? planned->workspaceBytes() : 0;
}
static int64_t gemmFinalWarps(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::GemmOp>(operation);
  std::optional<PlannedProduct> planned = singlePlanOf(op, chip);
  return planned ? planned->finalWarps(op, ProductResults::of(op)) : 0;
}
static LogicalResult configureGemm(Operation *op, const Chip &chip) {
  if (failed(configurePlans(op, chip)))
    return failure();
  cast<kernel::GemmOp>(op).setWorkspaceBytes(gemmWorkspace(op, chip));
  return success();
}

void nvptx::addProductLowering(LoweringTable &table) {
  table[kernel::GemmOp::getOperationName()] = {emitGemm, configureGemm, gemmWorkspace,
                                               gemmFinalWarps, checkPlans};
  addConvLowering(table);
}
