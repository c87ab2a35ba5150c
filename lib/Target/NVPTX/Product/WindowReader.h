// Where the numbers are that windows of an image see.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_WINDOWREADER_H
#define LIB_TARGET_NVPTX_PRODUCT_WINDOWREADER_H

#include "lib/Target/Common/ConvPhases.h"
#include "lib/Target/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

/// Places of an image, computed in two halves: of a window, and of a tap and channel in any.
class WindowReader {
public:
  using Value = mlir::Value;
  WindowReader(DeviceEmitter &e, const target::Window &window, int64_t elementBytes)
      : e(e), window(window), elementBytes(elementBytes) {}

  /// A window: where it begins, which may be outside of the image. One that is not there begins far
  /// below: a condition for each would take more predicates than there are.
  struct Corner {
    Value row, column; // i32
    Value offset;      // in bytes from the image's start, of type i64
  };
  /// A channel of a tap: places from the corner.
  struct Tap {
    Value down, right; // i32
    Value offset;      // in bytes, i32
  };
  /// Of a number (i32) that is below `limit`, or else not there; null: it always is.
  Corner cornerOf(Value window, Value limit);
  /// The same; numbers go through the channels of a group, then through taps.
  Tap tapOf(Value number, Value limit);
  /// The address, and whether there is such a number: if not, the address may be anywhere.
  void placeOf(Value image, const Corner &corner, const Tap &tap, Value &from, Value &exists);

private:
  bool isSpread() const { return window.inputDilations[0] * window.inputDilations[1] != 1; }

  DeviceEmitter &e;
  target::Window window;
  int64_t elementBytes;
};

} // namespace ampc::nvptx
#endif
