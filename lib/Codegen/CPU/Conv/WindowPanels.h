// Overlapping windows of neighbouring pixels, packed once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_CONV_WINDOWPANELS_H
#define LIB_CODEGEN_CPU_CONV_WINDOWPANELS_H

#include "lib/Codegen/CPU/Conv/ImagePanels.h"
#include "lib/Codegen/CPU/Product/Blocking.h"

namespace ampc::cpu {

/// Tile of output pixels: `width` neighbours in a row, at the same position of `images` images.
/// Example: 12 rows of a register tile as width 4 of 3 images.
struct WindowTile {
  int64_t width, images;
  int64_t columns, imageGroups; // number of tiles along a row, and along the images

  int64_t rows() const { return width * images; }
  int64_t panels(const Window &window) const { return imageGroups * window.outHeight * columns; }
  /// Pixel of line `line`, counted over all panels. `inside` is false for lines past the edges, and
  /// null if there are no such lines.
  struct Pixel {
    mlir::Value image, y, x, inside;
  };
  Pixel pixelAt(KernelEmitter &e, const Window &window, mlir::Value line) const;
};

/// Blocking of a convolution that packs windows of neighbouring pixels once. k-blocks are whole
/// window rows.
struct WindowBlocking {
  WindowTile pixels;
  ProductShape shape; // M in whole panels
  Blocking blocking;

  /// Nullopt if packed windows do not pay: windows do not overlap, or tiles would be over 10 %
  /// larger than the pixels.
  static std::optional<WindowBlocking> choose(const Window &window, ProductShape shape,
                                              const Tier &tier);
  /// Blocking of a plan with the feed `runs`; nothing, with a reason in `why`, without code for it.
  static std::optional<WindowBlocking> by(kernel::BlockingAttr plan, const Window &window,
                                          ProductShape shape, const Tier &tier, std::string &why);
};

/// A of a convolution with overlapping windows: lines are pixels of tiles, k is (tap, channel). A
/// run is a window row, contiguous in the packed image row; neighbouring lines start stride *
/// channels apart. Example: 3 taps, stride 1, width 4 -> 6 packed pixels per row in place of 12.
/// Window rows in the padding are skipped.
class WindowLines : public PanelSource {
public:
  /// A point has `depth` channels.
  WindowLines(PatchReader reader, WindowTile tile, int64_t depth)
      : reader(reader), tile(tile), perPixel(reader.window.groupChannels / depth) {}
  void enterBatch(KernelEmitter &e, mlir::Value group) override { this->group = group; }
  PanelLayout layout(int64_t lines, int64_t depth) const override;
  void pack(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k, mlir::Value depth,
            mlir::Value panel, PanelLayout layout, const PanelFormat &format) override;
  std::pair<mlir::Value, mlir::Value> runsOf(KernelEmitter &e, mlir::Value line, mlir::Value k,
                                             mlir::Value depth) override;

private:
  /// Image columns under the windows of a tile's row.
  int64_t columns() const;
  void packPixel(KernelEmitter &e, mlir::Value start, mlir::Value inside, mlir::Value to,
                 const PanelFormat &format);

  PatchReader reader;
  WindowTile tile;
  int64_t perPixel; // points per pixel
  mlir::Value group;
};

} // namespace ampc::cpu
#endif
