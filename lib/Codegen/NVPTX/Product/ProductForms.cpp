// kernel.gemm: tiles on matrix units where supported, else a thread per sum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Forms.h"
#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"
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

/// Tiling of the op. `parts`: split-K factor; 0: chosen by the model.
static std::optional<TileGemm> tilesOf(kernel::GemmOp op, const Chip &chip, int64_t parts,
                                       std::string &why) {
  std::optional<TileGemm> gemm = TileGemm::of(op, chip, why);
  if (gemm)
    gemm->choose(chip, parts);
  return gemm;
}

static void emitGemm(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::GemmOp>(operation);
  std::string why;
  std::optional<TileGemm> gemm = tilesOf(op, code.chip, op.getParts(), why);
  if (!gemm) {
    code.describe("plain: " + why);
    ThreadPerPoint points(code);
    return target::emitPlainGemm(op, points);
  }
  TileProduct product{*gemm, ProductResults::of(op), {}, {}};
  product.lhs = [](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                   const BlockTile &place, int64_t lines) {
    Value start = startOf(e, gemm, gemm.lhs, pointers.operands[0], place.batch);
    return std::make_unique<MatrixCopy>(e, gemm, gemm.lhs, lines, start, place.line);
  };
  product.rhs = [](DeviceEmitter &e, const TileGemm &gemm, const KernelPointers &pointers,
                   const BlockTile &place, int64_t lines) {
    Value start = startOf(e, gemm, gemm.rhs, pointers.operands[1], place.batch);
    return std::make_unique<MatrixCopy>(e, gemm, gemm.rhs, lines, start, place.column);
  };
  if (auto plan = WarpgroupGemm::of(*gemm, code.chip, op.getParts(), why)) {
    code.describe(plan->describe());
    return emitWarpgroups(op, code, *plan, product);
  }
  code.describe(gemm->describe() + (why.empty() ? "" : ", no warpgroups: " + why));
  emitTiles(op, code, product);
}

static int64_t gemmWorkspace(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::GemmOp>(operation);
  std::string why;
  std::optional<TileGemm> gemm = tilesOf(op, chip, op.getParts(), why);
  if (!gemm)
    return 0;
  auto plan = WarpgroupGemm::of(*gemm, chip, op.getParts(), why);
  return plan ? plan->workspaceBytes() : gemm->workspaceBytes();
}
static int64_t gemmFinalWarps(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::GemmOp>(operation);
  std::string why;
  std::optional<TileGemm> gemm = tilesOf(op, chip, op.getParts(), why);
  if (!gemm)
    return 0;
  ProductResults results = ProductResults::of(op);
  auto plan = WarpgroupGemm::of(*gemm, chip, op.getParts(), why);
  return plan ? showingWarps(op, *plan, results) : showingWarps(op, *gemm, results);
}
static void configureGemm(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::GemmOp>(operation);
  std::string why;
  std::optional<TileGemm> gemm = tilesOf(op, chip, 0, why);
  op.setParts(gemm ? gemm->parts : 1);
  if (!gemm)
    return op.setWorkspaceBytes(0);
  if (auto plan = WarpgroupGemm::of(*gemm, chip, 0, why))
    op.setParts(plan->parts());
  op.setWorkspaceBytes(gemmWorkspace(op, chip));
}

std::optional<ProductPlan> nvptx::planOf(kernel::GemmOp op, const Chip &chip) {
  std::string why;
  std::optional<TileGemm> gemm = tilesOf(op, chip, 0, why);
  if (!gemm)
    return std::nullopt;
  return ProductPlan::of(*gemm, WarpgroupGemm::of(*gemm, chip, 0, why), chip);
}

void nvptx::addProductForms(Forms &forms) {
  forms[kernel::GemmOp::getOperationName()] = {emitGemm, configureGemm, gemmWorkspace,
                                               gemmFinalWarps};
  addConvForms(forms);
}
