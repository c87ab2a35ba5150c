// Windows of an image as lines of a matrix, which nobody writes down.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_WINDOWCOPY_H
#define LIB_TARGET_NVPTX_PRODUCT_WINDOWCOPY_H

#include "lib/Target/NVPTX/Product/TileCopy.h"

namespace ampc::nvptx {

/// A matrix with a row per window: its taps, and the channels of a group of each. Rows are lines of
/// the product, or, for the gradient of a filter, points of k. The parts of a chunk that are copied
/// at once have channels of one tap. A filter is an image per output, and a window that its taps
/// are in.
class WindowCopy : public StepCopy {
public:
  /// `image`: its first number of the block's group; `first`: the tile's first line.
  WindowCopy(DeviceEmitter &e, const TileGemm &gemm, const SideLayout &side, int64_t tileLines,
             const target::Window &window, Value image, Value first);
  Value firstSource(Value) const override { return image; }
  Value nextSource(Value source) override { return source; }
  Values begin(Value target, Value source, Value k) override;

private:
  /// A window: where it begins, which may be outside of the image.
  struct Corner {
    Value row, column; // i32
    Value offset;      // in bytes from the image's start, of type i64
    Value exists;      // null: it does
  };
  /// A channel of a tap: places from the corner.
  struct Tap {
    Value down, right; // i32
    Value offset;      // in bytes, i32
    Value exists;
  };
  Corner cornerOf(Value window, bool mayEnd);
  Tap tapOf(Value point, bool mayEnd);
  void placeOf(const Corner &corner, const Tap &tap, Value &from, Value &exists);
  bool isSpread() const { return window.inputDilations[0] * window.inputDilations[1] != 1; }
  int64_t pieces() const { return chunkBytes / side.copyBytes; }

  target::Window window;
  Value image;
  // Of this thread's rows, or of its columns: what does not change from step to step.
  llvm::SmallVector<Corner> corners;
  llvm::SmallVector<Tap> taps;
};

} // namespace ampc::nvptx
#endif
