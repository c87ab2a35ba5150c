// Geometry of convolutions; one of an image dilated by zeros, as plain ones of the image itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_COMMON_CONVPHASES_H
#define LIB_TARGET_COMMON_CONVPHASES_H

#include "lib/Target/Common/LoopEmitter.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::target {

/// Geometry of a convolution of an image; two-element arrays are (vertical, horizontal).
struct Window {
  int64_t images, height, width, channels; // of the image; all groups' channels
  int64_t outHeight, outWidth;
  int64_t kernel[2], strides[2], padding[2], dilations[2], inputDilations[2];
  int64_t groups, groupChannels;
  bool channelsFirst = false; // the image is NCHW in memory, else NHWC

  /// Everything about image and window that both ops say in the same way. `out` and `filter` are
  /// the shapes of the output (NHWC) and the filter (OHWI).
  template <typename Op>
  static Window of(Op op, llvm::ArrayRef<int64_t> out, llvm::ArrayRef<int64_t> filter);
  int64_t pixels() const { return images * outHeight * outWidth; }
  int64_t taps() const { return kernel[0] * kernel[1]; }
  /// Elements of an image; from one column to the next, of which a row has `width`; and from one
  /// channel to the next.
  int64_t imageStride() const { return height * width * channels; }
  int64_t columnStride() const { return channelsFirst ? 1 : channels; }
  int64_t channelStride() const { return channelsFirst ? height * width : 1; }
};

template <typename Op>
Window Window::of(Op op, llvm::ArrayRef<int64_t> out, llvm::ArrayRef<int64_t> filter) {
  llvm::ArrayRef<int64_t> image =
      mlir::cast<mlir::RankedTensorType>(op.getLhs().getType()).getShape();
  Window window;
  window.channelsFirst = op.getChannelsFirst();
  window.images = image[0];
  window.height = image[window.channelsFirst ? 2 : 1];
  window.width = image[window.channelsFirst ? 3 : 2];
  window.channels = image[window.channelsFirst ? 1 : 3];
  window.outHeight = out[1];
  window.outWidth = out[2];
  for (unsigned axis = 0; axis < 2; ++axis) {
    window.kernel[axis] = filter[1 + axis];
    window.strides[axis] = op.getStrides()[axis];
    window.padding[axis] = op.getPadding()[2 * axis];
    window.dilations[axis] = op.getDilations()[axis];
    window.inputDilations[axis] = op.getInputDilations()[axis];
  }
  window.groups = op.getGroups();
  window.groupChannels = window.channels / window.groups;
  return window;
}

/// Every step-th output row and column from `start` on. All of them meet the image at the same taps
/// (firstTap, firstTap + tapStep, ...), and zeros between rows or columns at the others. `window`
/// is the convolution that remains, of an image without zeros; it may have no taps at all.
///
/// count[0] * count[1] phases have this window and share their code: along an axis, phase n starts
/// n * between outputs further on, at the n-th tap before firstTap. A stride of 256 has 256 phases,
/// of two or three windows.
struct ConvPhase {
  Window window;
  int64_t start[2], step[2]; // of output rows and columns
  int64_t firstTap[2], tapStep[2];
  int64_t count[2] = {1, 1}, between[2] = {1, 1};

  int64_t phases() const { return count[0] * count[1]; }
  /// Where one of the phases starts; `number` is below phases().
  struct Place {
    mlir::Value start[2], firstTap[2];
  };
  Place placeOf(LoopEmitter &e, mlir::Value number) const;
  /// The number along an axis of the phase that has the output row (column) `at`, if `isHere`.
  mlir::Value numberAt(LoopEmitter &e, unsigned axis, mlir::Value at, mlir::Value &isHere) const;
};

/// The phases of a convolution; one, with all taps, if the image is not dilated. `splits`: whether
/// the format of the panels allows to cut k between taps.
llvm::SmallVector<ConvPhase> phasesOf(const Window &window, bool splits);

/// Whether a tap has so few channels that they are read one by one, wherever they lie.
bool hasFewChannels(mlir::Operation *convolution);

/// Parts of the sum over pixels that a filter's gradient is: ranges of images, two or more each,
/// worth a million products, and together 4 MB or less.
int64_t chooseFilterParts(kernel::ConvFilterOp op);

} // namespace ampc::target
#endif
