// Geometry of convolutions. A convolution of an image dilated by zeros becomes plain convolutions
// of the image itself, one per phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_CONVPHASES_H
#define LIB_CODEGEN_COMMON_CONVPHASES_H

#include "lib/Codegen/Common/LoopEmitter.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::target {

/// Geometry of a convolution; arrays of two elements are [vertical, horizontal].
struct Window {
  int64_t images, height, width, channels; // of the image; channels of all groups
  int64_t outHeight, outWidth;
  int64_t kernel[2], strides[2], padding[2], dilations[2], inputDilations[2];
  int64_t groups, groupChannels;
  bool channelsFirst = false; // the image is NCHW in memory, else NHWC

  /// Image and window from attributes that both convolution ops have. `out: [N, OH, OW, O]` and
  /// `filter: [O, KH, KW, C]` are shapes.
  template <typename Op>
  static Window of(Op op, llvm::ArrayRef<int64_t> out, llvm::ArrayRef<int64_t> filter);
  int64_t pixels() const { return images * outHeight * outWidth; }
  int64_t taps() const { return kernel[0] * kernel[1]; }
  /// Strides in elements: from image to image, from column to column (`width` columns make a row),
  /// and from channel to channel.
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

/// A phase: every step-th output row and column from `start` on. All outputs of a phase meet the
/// image at the same taps (firstTap, firstTap + tapStep, ...), and the zeros of the dilation at all
/// other taps. `window` is the remaining convolution, of an image without zeros; the window may
/// have no taps at all.
///
/// count[0] * count[1] phases with equal windows share code: along an axis, phase n starts n *
/// between outputs further on, at the n-th tap before firstTap. Example: a stride of 256 has 256
/// phases, but two or three windows.
struct ConvPhase {
  Window window;
  int64_t start[2], step[2]; // of output rows and columns
  int64_t firstTap[2], tapStep[2];
  int64_t count[2] = {1, 1}, between[2] = {1, 1};

  int64_t phases() const { return count[0] * count[1]; }
  /// First output and first tap of phase `number`, which is below phases().
  struct Offsets {
    mlir::Value start[2], firstTap[2];
  };
  Offsets placeOf(LoopEmitter &e, mlir::Value number) const;
  /// Number of the phase that holds output row (column) `at`; `isHere` tells whether there is one.
  mlir::Value numberAt(LoopEmitter &e, unsigned axis, mlir::Value at, mlir::Value &isHere) const;
};

/// The phases of a convolution; a single phase with all taps if the image is not dilated. `splits`:
/// whether the panel format allows cuts of k between taps.
llvm::SmallVector<ConvPhase> phasesOf(const Window &window, bool splits);

/// Whether a tap has so few channels that channels are read singly, in any memory layout.
bool hasFewChannels(mlir::Operation *convolution);

/// Number of slices in which the sum over pixels of a filter's gradient is cut (split-K): ranges of
/// two or more images, at least a million multiplications each, with partial sums of at most 4 MB
/// together.
int64_t chooseFilterParts(kernel::ConvFilterOp op);

} // namespace ampc::target
#endif
