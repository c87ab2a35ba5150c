// Fragments of operand tiles in the registers of a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_FRAGMENTS_H
#define LIB_CODEGEN_NVPTX_PRODUCT_FRAGMENTS_H

#include "lib/Codegen/NVPTX/Product/SharedTile.h"
#include "lib/Codegen/NVPTX/Product/TileGemm.h"
#include "llvm/ADT/SmallVector.h"
#include <array>

namespace ampc::nvptx {

/// Fragment of 16 lines by 32 bytes of k, as mma.m16n8k16 (16-bit numbers) and mma.m16n8k8 (tf32)
/// read operands: the left operand in one piece, the right operand as two pieces of eight columns.
/// Example: bf16 left fragment [16, 16].
using Fragment = std::array<mlir::Value, 4>;

/// Operand of a warp: `lines` lines, in `steps` of 32 bytes along k.
struct FragmentSide {
  bool isLeft, alongDepth, isTF32;
  int64_t lines, steps;
};

/// Loads fragments of one operand's tiles.
class FragmentLoader {
public:
  using Value = mlir::Value;
  FragmentLoader(DeviceEmitter &e, const SharedTile &tile, const FragmentSide &side, Value first);
  /// `first`: first line of the warp within the tile, a multiple of `lines`.
  FragmentLoader(DeviceEmitter &e, const SharedTile &tile, bool isLeft, const TileGemm &gemm,
                 Value first);
  int64_t count() const { return lines / 16; }
  /// Fragment of lines 16 i to 16 i + 15 and of the k-th 32 bytes along k, of the tile at `base`.
  Fragment load(Value base, int64_t i, int64_t k);

private:
  void placeSquares(Value first);
  void placeNumbers(Value first);
  Fragment loadSquares(Value base, int64_t i, int64_t k);
  Fragment loadNumbers(Value base, int64_t i, int64_t k);

  DeviceEmitter &e;
  SharedTile tile;
  bool isLeft, alongDepth, isTF32;
  int64_t lines, steps;             // steps: per tile along k
  llvm::SmallVector<Value> offsets; // by k along the depth, else by i; for tf32 across the depth,
                                    // per half of a fragment
};

/// sums + left * right for 16 lines by 8 columns; `half` selects the columns of the right fragment.
std::array<mlir::Value, 4> multiply(DeviceEmitter &e, const Fragment &left, const Fragment &right,
                                    unsigned half, llvm::ArrayRef<mlir::Value> sums,
                                    mlir::Type element);

} // namespace ampc::nvptx
#endif
