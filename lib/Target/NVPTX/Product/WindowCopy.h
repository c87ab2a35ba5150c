// Windows of an image as lines of a matrix, which nobody writes down.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_WINDOWCOPY_H
#define LIB_TARGET_NVPTX_PRODUCT_WINDOWCOPY_H

#include "lib/Target/NVPTX/Product/TileCopy.h"
#include "lib/Target/NVPTX/Product/WindowReader.h"

namespace ampc::nvptx {

/// A matrix with a row per window: its taps, and the channels of a group of each. Rows are lines of
/// the product, or, for the gradient of a filter, points of k. The parts of a chunk that are copied
/// at once have channels of one tap. A filter is an image per output, and a window that its taps
/// are in.
class WindowCopy : public StepCopy {
public:
  /// `image`: its first number of the block's group; `first`: the tile's first line; `shift`: how
  /// many elements further on windows along k are read than they lie, null for none.
  WindowCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side, int64_t tileLines,
             const target::Window &window, Value image, Value first, Value shift = {});
  Value firstSource(Value) const override { return image; }
  Value nextSource(Value source) override { return source; }
  Values begin(Value target, Value source, Value k) override;

private:
  int64_t pieces() const { return chunkBytes / side.copyBytes; }

  WindowReader reader;
  Value image;
  // Of this thread's rows, or of its columns: what does not change from step to step.
  llvm::SmallVector<WindowReader::Corner> corners;
  llvm::SmallVector<WindowReader::Tap> taps;
};

} // namespace ampc::nvptx
#endif
