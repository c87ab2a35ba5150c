// Panels gathered from the windows of an image.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CONV_IMAGEPANELS_H
#define LIB_TARGET_CPU_CONV_IMAGEPANELS_H

#include "lib/Target/CPU/Product/Panels.h"
#include "lib/Target/Common/ConvPhases.h"

namespace ampc::cpu {

using target::ConvPhase;
using target::Window;

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

/// Numbers of the image, zero where `inside` is false: as wide as the sums, or bits of 16. The
/// first `active` lanes are read.
mlir::Value readImage(KernelEmitter &e, const PatchReader &reader, mlir::Value inside,
                      mlir::Value at, int64_t lanes, const PanelFormat &format,
                      int64_t active = -1);

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

/// The same; where a window is one pixel and all of the image are taken in order, these are rows of
/// a matrix.
std::unique_ptr<PanelSource> linesOfPixels(const PatchReader &reader);

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
