// Pieces of tiles in the registers of a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_FRAGMENTS_H
#define LIB_TARGET_NVPTX_PRODUCT_FRAGMENTS_H

#include "lib/Target/NVPTX/Product/SharedTile.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace ampc::nvptx {

/// Sixteen lines of a side by sixteen points of k, as mma.m16n8k16 takes them: a left side in one
/// piece, a right one in two of eight columns.
using Fragment = std::array<mlir::Value, 4>;

/// What a warp reads of one side's tiles.
class FragmentLoader {
public:
  using Value = mlir::Value;
  /// `first`: the first line of the warp in the tile, a multiple of its `lines`.
  FragmentLoader(DeviceEmitter &e, const SharedTile &tile, bool isLeft, bool alongDepth,
                 Value first, int64_t lines, int64_t depth);
  int64_t count() const { return lines / 16; }
  /// Lines 16 i to 16 i + 15 and points 16 k to 16 k + 15 of the tile at `base`.
  Fragment load(Value base, int64_t i, int64_t k);

private:
  DeviceEmitter &e;
  SharedTile tile;
  bool alongDepth;
  int64_t lines;
  llvm::SmallVector<Value> offsets; // by k along the depth, else by i
};

/// sums + left * right, of sixteen lines by eight columns; `half` of the right fragment.
std::array<mlir::Value, 4> multiply(DeviceEmitter &e, const Fragment &left, const Fragment &right,
                                    unsigned half, llvm::ArrayRef<mlir::Value> sums,
                                    mlir::Type element);

} // namespace ampc::nvptx
#endif
