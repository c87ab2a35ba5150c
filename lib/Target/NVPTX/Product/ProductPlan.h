// How a kernel with a product is formed, and in which other ways it could be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_PRODUCTPLAN_H
#define LIB_TARGET_NVPTX_PRODUCT_PRODUCTPLAN_H

#include "lib/Target/NVPTX/Hopper/WarpgroupGemm.h"

namespace ampc::nvptx {

struct ProductPlan {
  TilePick pick;
  ProductSize size;
  double cycles; // of the model

  static ProductPlan of(const TileGemm &gemm, const std::optional<WarpgroupGemm> &warpgroups,
                        const Chip &chip);
};

/// Nothing: it is no product, is plain, has a group per channel, or several phases.
std::optional<ProductPlan> planOf(mlir::Operation *op, const Chip &chip);
std::optional<ProductPlan> planOf(kernel::GemmOp op, const Chip &chip);
std::optional<ProductPlan> planOf(kernel::ConvOp op, const Chip &chip);
std::optional<ProductPlan> planOf(kernel::ConvFilterOp op, const Chip &chip);

/// Whether the op's attribute code.tile, if it has one, is a way that there is code for.
mlir::LogicalResult checkPick(mlir::Operation *op, const Chip &chip);

/// Ways that are worth a measurement, the model's own first: every tile of the form that it takes,
/// in as many parts as it prefers, then some more splits of k, and two tiles of another form. Sets
/// code.tile to that of the model.
llvm::SmallVector<ProductPlan> trialsOf(mlir::Operation *op, const Chip &chip);
void setPick(mlir::Operation *op, const TilePick &pick);
llvm::StringRef formName(ProductForm form);

} // namespace ampc::nvptx
#endif
