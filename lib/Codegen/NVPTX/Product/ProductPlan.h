// Plans of products: the only search, kernels from plans, and the alternatives for measurements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_PRODUCTPLAN_H
#define LIB_CODEGEN_NVPTX_PRODUCT_PRODUCTPLAN_H

#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"
#include <vector>

namespace ampc::nvptx {

/// A product with its plan: tiles for the plan's kind, without a further choice.
struct PlannedProduct {
  kernel::PlanAttr plan; // with all members
  TileGemm gemm;
  std::optional<WarpgroupGemm> warpgroups; // for a plan wgmma

  /// The product by the plan; nothing, with a reason in `why`, if the chip has no code for that.
  static std::optional<PlannedProduct> of(const TileGemm &product, kernel::PlanAttr plan,
                                          const Chip &chip, std::string &why);
  int64_t parts() const { return warpgroups ? warpgroups->parts() : gemm.parts; }
  int64_t workspaceBytes() const {
    return warpgroups ? warpgroups->workspaceBytes() : gemm.workspaceBytes();
  }
  double cycles(const Chip &chip) const; // by the cost model
  /// Row of Tiles.inc for this plan.
  TilePick picked() const { return warpgroups ? warpgroups->picked() : gemm.picked(); }
  std::string describe() const;
  /// Emits the launches of `product`, which has the member `gemm`.
  void emit(FusedKernelOpInterface op, DeviceCode &code, const TileProduct &product) const;
  /// Number of warps in the launch that writes the final results.
  int64_t finalWarps(FusedKernelOpInterface op, const ProductResults &results) const;
};

/// The products of an op before their plans. Example: the gradient of an image with stride 2 has a
/// product per phase of the output.
struct OpProducts {
  llvm::SmallVector<TileGemm, 1> products;
  kernel::PlanKind other = kernel::PlanKind::plain; // kind of a kernel without tiles
  std::string why;                                  // reason for that kind
  int64_t phases = 1; // phases of the output, of which some may share a product or have none
};
OpProducts productsOf(kernel::GemmOp op, const Chip &chip);
OpProducts productsOf(kernel::ConvOp op, const Chip &chip);
OpProducts productsOf(kernel::ConvFilterOp op, const Chip &chip);

/// Stores the plans on the op: completes the plans that the op has, or searches. Fails, after an
/// error at the op, if the chip has no code for a plan.
llvm::LogicalResult configurePlans(mlir::Operation *op, const Chip &chip);
/// Checks that the op has plans, for which the chip has code.
llvm::LogicalResult checkPlans(mlir::Operation *op, const Chip &chip);
/// Products by the plans of an op that has passed `checkPlans`; none for a kernel without tiles.
std::vector<PlannedProduct> plannedOf(mlir::Operation *op, const Chip &chip);

/// The plan of an op with one product; else nothing.
std::optional<PlannedProduct> singlePlanOf(mlir::Operation *op, const Chip &chip);
/// Plans worth measuring, the model's choice first: every tile of the chosen kind with the split-K
/// factor that the model prefers, some more split-K factors, and two tiles of another kind. None
/// unless the op has one product in one phase.
std::vector<PlannedProduct> trialsOf(mlir::Operation *op, const Chip &chip);

} // namespace ampc::nvptx
#endif
