// Pieces of tiles in the registers of a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_FRAGMENTS_H
#define LIB_TARGET_NVPTX_PRODUCT_FRAGMENTS_H

#include "lib/Target/NVPTX/Product/SharedTile.h"
#include "lib/Target/NVPTX/Product/TileGemm.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace ampc::nvptx {

/// Sixteen lines of a side by 32 bytes of points of k, as mma.m16n8k16 of 16-bit numbers and
/// mma.m16n8k8 of tf32 take them: a left side in one piece, a right one in two of eight columns.
using Fragment = std::array<mlir::Value, 4>;

/// What a warp reads of tiles: `lines` of a side, in `steps` of 32 bytes along k.
struct FragmentSide {
  bool isLeft, alongDepth, isTF32;
  int64_t lines, steps;
};

/// What a warp reads of one side's tiles.
class FragmentLoader {
public:
  using Value = mlir::Value;
  FragmentLoader(DeviceEmitter &e, const SharedTile &tile, const FragmentSide &side, Value first);
  /// `first`: the first line of the warp in the tile, a multiple of its `lines`.
  FragmentLoader(DeviceEmitter &e, const SharedTile &tile, bool isLeft, const TileGemm &gemm,
                 Value first);
  int64_t count() const { return lines / 16; }
  /// Lines 16 i to 16 i + 15 and the k-th 32 bytes of points of the tile at `base`.
  Fragment load(Value base, int64_t i, int64_t k);

private:
  void placeSquares(Value first);
  void placeNumbers(Value first);
  Fragment loadSquares(Value base, int64_t i, int64_t k);
  Fragment loadNumbers(Value base, int64_t i, int64_t k);

  DeviceEmitter &e;
  SharedTile tile;
  bool isLeft, alongDepth, isTF32;
  int64_t lines, steps;             // steps: of a tile along k
  llvm::SmallVector<Value> offsets; // by k along the depth, else by i; of numbers, by half of them
};

/// sums + left * right, of sixteen lines by eight columns; `half` of the right fragment.
std::array<mlir::Value, 4> multiply(DeviceEmitter &e, const Fragment &left, const Fragment &right,
                                    unsigned half, llvm::ArrayRef<mlir::Value> sums,
                                    mlir::Type element);

} // namespace ampc::nvptx
#endif
