// Addresses of the elements that windows of an image read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_WINDOWREADER_H
#define LIB_CODEGEN_NVPTX_PRODUCT_WINDOWREADER_H

#include "lib/Codegen/Common/ConvPhases.h"
#include "lib/Codegen/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

/// Addresses in an image as the sum of two halves: a half per window, and a half per tap and
/// channel.
class WindowReader {
public:
  using Value = mlir::Value;
  WindowReader(DeviceEmitter &e, const target::Window &window, int64_t elementBytes)
      : e(e), window(window), elementBytes(elementBytes) {}

  /// A window: the first row and column, which may be outside of the image. A window out of range
  /// starts far below the image: a condition per window would need more predicate registers than
  /// exist.
  struct Corner {
    Value row, column; // i32
    Value offset;      // in bytes from the image's start, of type i64
  };
  /// A channel of a tap, relative to the corner.
  struct Tap {
    Value down, right; // i32
    Value offset;      // in bytes, i32
  };
  /// Corner of window number `window` (i32). Numbers from `limit` on are out of range; a null limit
  /// means always in range.
  Corner cornerOf(Value window, Value limit);
  /// Tap of a number, with channels of a group innermost and taps outermost; `limit` as above.
  /// Example: 4 channels: number 9 -> tap 2, channel 1.
  Tap tapOf(Value number, Value limit);
  /// Address of an element, and whether the element exists (`exists`); if not, the address may be
  /// anywhere.
  void placeOf(Value image, const Corner &corner, const Tap &tap, Value &from, Value &exists);

private:
  bool isSpread() const { return window.inputDilations[0] * window.inputDilations[1] != 1; }

  DeviceEmitter &e;
  target::Window window;
  int64_t elementBytes;
};

} // namespace ampc::nvptx
#endif
