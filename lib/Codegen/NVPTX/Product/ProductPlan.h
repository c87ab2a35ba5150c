// Plan of a kernel with a product, and the alternatives for measurements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_PRODUCTPLAN_H
#define LIB_CODEGEN_NVPTX_PRODUCT_PRODUCTPLAN_H

#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"

namespace ampc::nvptx {

struct ProductPlan {
  TilePick pick;
  ProductSize size;
  double cycles; // by the cost model

  static ProductPlan of(const TileGemm &gemm, const std::optional<WarpgroupGemm> &warpgroups,
                        const Chip &chip);
};

/// Plan of the op. Nothing if the op is no product, uses the plain kernel, is depthwise, or has
/// several phases.
std::optional<ProductPlan> planOf(mlir::Operation *op, const Chip &chip);
std::optional<ProductPlan> planOf(kernel::GemmOp op, const Chip &chip);
std::optional<ProductPlan> planOf(kernel::ConvOp op, const Chip &chip);
std::optional<ProductPlan> planOf(kernel::ConvFilterOp op, const Chip &chip);

/// Checks that the attribute code.tile, if present, names a plan with code.
mlir::LogicalResult checkPick(mlir::Operation *op, const Chip &chip);

/// Plans worth measuring, the model's choice first: every tile of the chosen form with the split-K
/// factor that the model prefers, some more split-K factors, and two tiles of another form. Sets
/// code.tile to the model's choice.
llvm::SmallVector<ProductPlan> trialsOf(mlir::Operation *op, const Chip &chip);
void setPick(mlir::Operation *op, const TilePick &pick);
llvm::StringRef formName(ProductForm form);

} // namespace ampc::nvptx
#endif
