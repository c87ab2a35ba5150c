// Products in tiles on matrix units, whatever kernel they are of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_TILEPRODUCT_H
#define LIB_TARGET_NVPTX_PRODUCT_TILEPRODUCT_H

#include "lib/Target/NVPTX/DeviceCode.h"
#include "lib/Target/NVPTX/Product/Results.h"
#include "lib/Target/NVPTX/Product/TileCopy.h"

namespace ampc::nvptx {

/// The tile of a block, by its number: tiles of eight lines of tiles after each other, so that
/// blocks that run at the same time share sides. Parts of sums follow each other.
struct BlockPlace {
  using Value = mlir::Value;
  Value part, entry;              // i32: of the sum, of the batch
  llvm::SmallVector<Value> batch; // the entry's positions
  Value line, column;             // i32

  BlockPlace() = default;
  BlockPlace(DeviceEmitter &e, const TileGemm &gemm);
};

/// What products differ in.
struct TileProduct {
  /// Copies of tiles of so many lines, of the side of `gemm`.
  using MakeSide = std::function<std::unique_ptr<StepCopy>(DeviceEmitter &, const TileGemm &gemm,
                                                           const KernelPointers &,
                                                           const BlockPlace &, int64_t tileLines)>;
  TileGemm gemm;
  ProductResults results;
  MakeSide lhs, rhs;
};

/// One launch, and one that adds up parts.
void emitTiles(FusedKernelOpInterface op, DeviceCode &code, const TileProduct &product);
/// Warps of the launch that stores results.
int64_t showingWarps(FusedKernelOpInterface op, const TileGemm &gemm,
                     const ProductResults &results);

} // namespace ampc::nvptx
#endif
