// Implicit GEMM operand: windows of an image as lines of a matrix that is never stored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_WINDOWCOPY_H
#define LIB_CODEGEN_NVPTX_PRODUCT_WINDOWCOPY_H

#include "lib/Codegen/NVPTX/Product/MatrixCopy.h"
#include "lib/Codegen/NVPTX/Product/WindowReader.h"

namespace ampc::nvptx {

/// Matrix [windows, taps * channels of a group]. Windows are lines of the GEMM, or, for the
/// gradient of a filter, points of k. Each piece of a chunk has channels of a single tap. A filter
/// counts as an image per output, with a window that contains the used taps.
class WindowCopy : public KTileCopy {
public:
  /// `image`: address of the first channel of the block's group; `first`: first line of the tile;
  /// `shift`: offset in elements added to all windows along k, null for none.
  WindowCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side, int64_t tileLines,
             const target::Window &window, Value image, Value first, Value shift = {});
  Value firstSource(Value) const override { return image; }
  Value nextSource(Value source) override { return source; }
  Values begin(Value target, Value source, Value k) override;

private:
  int64_t pieces() const { return chunkBytes / side.copyBytes; }

  WindowReader reader;
  Value image;
  // Loop-invariant parts of the addresses: of this thread's rows, or of the thread's columns.
  llvm::SmallVector<WindowReader::Corner> corners;
  llvm::SmallVector<WindowReader::Tap> taps;
};

} // namespace ampc::nvptx
#endif
