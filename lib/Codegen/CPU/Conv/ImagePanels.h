// Panels gathered from image windows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_CONV_IMAGEPANELS_H
#define LIB_CODEGEN_CPU_CONV_IMAGEPANELS_H

#include "lib/Codegen/CPU/Product/Panels.h"
#include "lib/Codegen/Common/ConvPhases.h"

namespace ampc::cpu {

using target::ConvPhase;
using target::Window;

/// Channels of one tap at one output pixel.
struct Patch {
  mlir::Value start;  // position of the first channel, clamped into the image
  mlir::Value inside; // false: padding, or a zero between dilated rows or columns
};

/// Maps (output pixel, tap) to positions in the image.
class PatchReader {
public:
  PatchReader(const Window &window, mlir::Value pointer, mlir::Type element)
      : window(window), pointer(pointer), element(element) {}
  /// Image number, and top left corner of the window at an output pixel.
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

/// Image elements, zero where `inside` is false, of the panel's type: widened to the sums' type, or
/// 16 raw bits. Reads the first `active` lanes.
mlir::Value readImage(KernelEmitter &e, const PatchReader &reader, mlir::Value inside,
                      mlir::Value at, int64_t lanes, const PanelFormat &format,
                      int64_t active = -1);

/// A of a convolution: lines are output pixels, k is (tap, channel).
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

/// A of a convolution; a plain strided matrix if windows are 1x1 and cover the image in order.
std::unique_ptr<PanelSource> linesOfPixels(const PatchReader &reader);

/// B of a filter gradient: lines are (tap, channel), k is the output pixel.
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
