// Windows of neighbouring pixels packed once: the lines of a panel overlap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CONV_WINDOWPANELS_H
#define LIB_TARGET_CPU_CONV_WINDOWPANELS_H

#include "lib/Target/CPU/Conv/ImagePanels.h"

namespace ampc::cpu {

/// A tile of output pixels: `width` neighbours in a row, at the same place of `images` images.
struct WindowTile {
  int64_t width, images;
  int64_t columns, imageGroups; // tiles along a row and along the images

  int64_t rows() const { return width * images; }
  int64_t panels(const Window &window) const { return imageGroups * window.outHeight * columns; }
  /// Where line `line` of all panels' lines lies. Lines past the edges are not `inside`, which is
  /// null if there are none.
  struct Pixel {
    mlir::Value image, y, x, inside;
  };
  Pixel pixelAt(KernelEmitter &e, const Window &window, mlir::Value line) const;
};

/// The tile and the blocks of k, which are whole rows of the window, for a convolution that gains
/// from packing windows. Nullopt for those whose windows do not overlap, or whose pixels fill tiles
/// badly.
std::optional<WindowTile> chooseWindowTile(const Window &window, ProductShape &shape,
                                           const Tier &tier, Blocking &blocking);

/// Lines are the pixels of tiles, k is (tap, channel). A run is a row of the window: its points are
/// neighbours in memory, and the lines start a stride's channels apart. Rows in the padding are
/// left out.
class WindowLines : public PanelSource {
public:
  /// `depth` channels make a point.
  WindowLines(PatchReader reader, WindowTile tile, int64_t depth)
      : reader(reader), tile(tile), perPixel(reader.window.groupChannels / depth) {}
  void enterBatch(KernelEmitter &e, mlir::Value group) override { this->group = group; }
  PanelLayout layout(int64_t lines, int64_t depth) const override;
  void pack(KernelEmitter &e, mlir::Value line, int64_t lines, mlir::Value k, mlir::Value depth,
            mlir::Value panel, PanelLayout layout, const PanelFormat &format) override;
  std::pair<mlir::Value, mlir::Value> runsOf(KernelEmitter &e, mlir::Value line, mlir::Value k,
                                             mlir::Value depth) override;

private:
  /// Columns of the image under the windows of a tile's row.
  int64_t columns() const;
  void packPixel(KernelEmitter &e, mlir::Value start, mlir::Value inside, mlir::Value to,
                 const PanelFormat &format);

  PatchReader reader;
  WindowTile tile;
  int64_t perPixel; // points
  mlir::Value group;
};

} // namespace ampc::cpu
#endif
