// Windows of an image as lines of a matrix, which nobody writes down.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_WINDOWCOPY_H
#define LIB_TARGET_NVPTX_PRODUCT_WINDOWCOPY_H

#include "lib/Target/Common/ConvPhases.h"
#include "lib/Target/NVPTX/Product/TileCopy.h"

namespace ampc::nvptx {

/// A line is a window: its taps, and the channels of each. A chunk has channels of one tap; a
/// thread has the same chunk of several windows.
class WindowCopy : public StepCopy {
public:
  /// `first`: the first window of the tile.
  WindowCopy(DeviceEmitter &e, const TileGemm &gemm, const target::Window &window, Value image,
             Value first);
  Value firstSource() const override { return image; }
  Value nextSource(Value source) override { return source; }
  void issue(Value target, Value source, Value left) override;

private:
  /// One of the thread's windows: where it begins, which may be outside of the image.
  struct Line {
    Value row, column; // i32
    Value corner;      // offset in bytes from the image's start, of type i64
    Value exists;      // null: it does
  };
  Line lineAt(Value number);

  DeviceEmitter &e;
  const TileGemm &gemm;
  target::Window window;
  Value image, offset, column; // of the thread's first chunk: in the tile; its first element
  int64_t linesPerPass;
  llvm::SmallVector<Line> lines;
};

} // namespace ampc::nvptx
#endif
