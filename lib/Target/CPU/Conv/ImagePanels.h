// Panels gathered from the windows of an image.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CONV_IMAGEPANELS_H
#define LIB_TARGET_CPU_CONV_IMAGEPANELS_H

#include "lib/Target/CPU/Product/Panels.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::cpu {

/// Geometry of a convolution of an NHWC image; two-element arrays are (vertical, horizontal).
struct Window {
  int64_t images, height, width, channels; // of the image; all groups' channels
  int64_t outHeight, outWidth;
  int64_t kernel[2], strides[2], padding[2], dilations[2], inputDilations[2];
  int64_t groups, groupChannels;

  /// Everything about image and window that both ops say in the same way. `out` and `filter` are
  /// the shapes of the output (NHWC) and the filter (OHWI).
  template <typename Op>
  static Window of(Op op, llvm::ArrayRef<int64_t> out, llvm::ArrayRef<int64_t> filter);
  int64_t pixels() const { return images * outHeight * outWidth; }
  int64_t taps() const { return kernel[0] * kernel[1]; }
};

template <typename Op>
Window Window::of(Op op, llvm::ArrayRef<int64_t> out, llvm::ArrayRef<int64_t> filter) {
  llvm::ArrayRef<int64_t> image =
      mlir::cast<mlir::RankedTensorType>(op.getLhs().getType()).getShape();
  Window window;
  window.images = image[0];
  window.height = image[1];
  window.width = image[2];
  window.channels = image[3];
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

/// Where (pixel, tap) finds its channels.
struct Patch {
  mlir::Value start;  // position of the first channel, within the image even if not inside
  mlir::Value inside; // false: padding, or a zero between dilated rows or columns
};

/// A window's taps at the output pixels.
class PatchReader {
public:
  PatchReader(const Window &window, mlir::Value pointer, mlir::Type element)
      : window(window), pointer(pointer), element(element) {}
  /// Image number and first row and column of the window at an output pixel.
  struct Pixel {
    mlir::Value image, y, x;
  };
  Pixel pixelAt(KernelEmitter &e, mlir::Value number) const;
  Patch patchAt(KernelEmitter &e, const Pixel &pixel, mlir::Value tap, mlir::Value group) const;

  Window window;
  mlir::Value pointer;
  mlir::Type element;

private:
  mlir::Value along(KernelEmitter &e, mlir::Value start, mlir::Value tap, unsigned axis,
                    int64_t size, mlir::Value &inside) const;
};

/// Numbers of the image, zero where `inside` is false: as wide as the sums, or bits of 16.
mlir::Value readImage(KernelEmitter &e, const PatchReader &reader, mlir::Value inside,
                      mlir::Value at, int64_t lanes, const PanelFormat &format);

/// Lines are output pixels, k is (tap, channel): the left side of a convolution.
class PixelLines : public PanelSource {
public:
  explicit PixelLines(PatchReader reader) : reader(reader) {}
  void enterBatch(KernelEmitter &e, mlir::Value group) override { this->group = group; }
  PanelLayout layout(int64_t lines, int64_t depth) const override;
  void pack(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k, mlir::Value depth,
            mlir::Value panel, PanelLayout layout, const PanelFormat &format) override;

private:
  PatchReader reader;
  mlir::Value group;
};

/// Lines are (tap, channel), k is the output pixel: the right side of a filter's gradient.
class TapLines : public PanelSource {
public:
  explicit TapLines(PatchReader reader) : reader(reader) {}
  void enterBatch(KernelEmitter &e, mlir::Value group) override { this->group = group; }
  void pack(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k, mlir::Value depth,
            mlir::Value panel, PanelLayout layout, const PanelFormat &format) override;

private:
  PatchReader reader;
  mlir::Value group;
};

} // namespace ampc::cpu
#endif
