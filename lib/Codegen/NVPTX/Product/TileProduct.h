// Tiled GEMM kernels for any op with a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_TILEPRODUCT_H
#define LIB_CODEGEN_NVPTX_PRODUCT_TILEPRODUCT_H

#include "lib/Codegen/NVPTX/DeviceCode.h"
#include "lib/Codegen/NVPTX/Product/GemmResults.h"
#include "lib/Codegen/NVPTX/Product/MatrixCopy.h"

namespace ampc::nvptx {

/// Output tile of a block, by block number. Rasterization: groups of eight rows of tiles in
/// column-major order, so that blocks that run at the same time share operand tiles in L2. Split-K
/// slices follow one after another.
struct BlockTile {
  using Value = mlir::Value;
  Value part, entry;              // i32: split-K slice, batch entry
  llvm::SmallVector<Value> batch; // indices of the entry along the batch dimensions
  Value line, column;             // i32; first row and column of the tile

  BlockTile() = default;
  BlockTile(DeviceEmitter &e, const TileGemm &gemm);
};

/// A GEMM to emit: tiling, results, and a copy per operand.
struct TileProduct {
  /// Makes the copy of an operand of `gemm`, in tiles of `tileLines` lines.
  using MakeSide = std::function<std::unique_ptr<KTileCopy>(DeviceEmitter &, const TileGemm &gemm,
                                                            const KernelPointers &,
                                                            const BlockTile &, int64_t tileLines)>;
  TileGemm gemm;
  ProductResults results;
  MakeSide lhs, rhs;
};

/// Emits the launch, and for split-K a second launch that adds the slices.
void emitTiles(FusedKernelOpInterface op, DeviceCode &code, const TileProduct &product);
/// Number of warps in the launch that writes the final results.
int64_t finalWarps(FusedKernelOpInterface op, const TileGemm &gemm, const ProductResults &results);

} // namespace ampc::nvptx
#endif
