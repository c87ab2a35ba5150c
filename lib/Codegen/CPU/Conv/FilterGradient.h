// Filter gradient on vectors, pixel by pixel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_CONV_FILTERGRADIENT_H
#define LIB_CODEGEN_CPU_CONV_FILTERGRADIENT_H

#include "lib/Codegen/CPU/Conv/FilterTasks.h"
#include "lib/Codegen/CPU/Conv/ImagePanels.h"
#include "lib/Codegen/CPU/Data/FusedReduction.h"

namespace ampc::cpu {

/// Blocking per group and tap: dW[o][c] = sum over pixels of dY[pixel][o] * X[pixel shifted by the
/// tap][c]. The register tile is [`rows` output channels, `columns()` input channels] of one tap; a
/// block of k is a few rows of an image, or a few images. A point of k is a pixel; with VNNI pairs
/// a point is the same pixel of two images, so that a single packed image serves all taps. Pixels
/// whose tap lies in the padding are left out.
///
/// Channels too few for a vector are gathered: the window of a pixel becomes a line of (tap,
/// channel) with zeros for the padding, and tiles see an image of one tap and that many channels.
/// Example: 3x3 taps of 3 channels -> lines of 27.
struct FilterBlocking : FilterTasks {
  static FilterBlocking choose(const Window &image, const ProductShape &shape, int64_t parts,
                               const Tier &tier);
  /// Blocking of a plan; nothing, with a reason in `why`, if the tier has no code for that.
  static std::optional<FilterBlocking> by(kernel::FilterBlockingAttr plan, const Window &image,
                                          const ProductShape &shape, int64_t parts,
                                          const Tier &tier, std::string &why);
  kernel::FilterBlockingAttr attribute(mlir::MLIRContext *context, const Tier &tier) const;
  /// Whether windows are gathered. Vectors then beat AMX tiles, whose panels are gathered element
  /// by element.
  static bool gathersWindows(const Window &image, const ProductShape &shape, const Tier &tier);

  bool gathers;
  Window window; // as tiles see the image
  Multiply multiply;
  int64_t depth;                 // images per point
  int64_t rows, vectors, width;  // of the register tile
  int64_t imageUnits, partUnits; // points per pixel: in all, in a part
  int64_t blockUnits, blockRows; // of a block; blockUnits is 1 unless blockRows is all
  int64_t imageRows;             // most image rows under the windows of a block
  bool inPlace;                  // both operands are read without packing
  int64_t windowRows, rowUnits;  // of the image rows under a block's windows, if gathered

  int64_t columns() const { return vectors * width; }

private:
  FilterBlocking(const Window &image, const ProductShape &shape, int64_t parts, const Tier &tier,
                 bool gathers);
  void chooseTile(const ProductShape &shape, const Tier &tier);
  void cutPanels(const ProductShape &shape);
  void layOut(const Window &image, const ProductShape &shape);
};

/// Emits the tasks of a filter gradient.
class FilterGradientEmitter {
public:
  /// Receives the sums of [part, output channel, position in that channel's filter and following].
  using Epilogue = llvm::function_ref<void(mlir::Value part, mlir::Value output,
                                           mlir::Value position, int64_t active, mlir::Value sums)>;

  FilterGradientEmitter(KernelEmitter &e, const Window &source, const ProductShape &shape,
                        const FilterBlocking &blocking, mlir::Value image, mlir::Value cotangent);
  void emit(mlir::Value begin, mlir::Value end, mlir::Value scratch, Epilogue epilogue,
            FusedReductions *reductions);

  static int64_t scratchBytes(const ProductShape &shape, const FilterBlocking &blocking);

private:
  using Value = mlir::Value;
  /// Pixels of one operand, in memory and packed; strides in units of the panels.
  struct Side {
    Value pointer;
    mlir::Type element;
    int64_t height, width, channels, groupChannels; // in memory
    int64_t columnStride, channelStride = 1;        // in memory
    int64_t lines;                                  // of a panel
    int64_t pixel, row, image;                      // strides of packed pixels
    int64_t panel;                                  // units per packed panel
    Value packed;
  };
  using Task = FilterTasks::TaskBounds;
  struct Block {
    Value unit, unitEnd, y, yEnd;
    Value imageRow; // first packed row
  };
  void clearSums();
  void emitBlock(const Task &task, const Block &block);
  void packSide(const Side &side, const Task &task, const Block &block, Value first, Value end,
                Value row, Value rowEnd);
  void packPanel(const Side &side, Value start, Value panel, const Block &block, Value row,
                 Value rowEnd, int64_t active);
  Value readUnits(const Side &side, Value unit, Value at, int64_t lanes, int64_t active);
  void gatherWindows(const Task &task, const Block &block);
  void packRows(const Task &task, Value unit, Value y);
  void packPlanes(Value unit, Value from, Value to, int64_t length);
  void gatherWindow(Value row, Value column, Value line);
  Value startOf(const Side &side, const Task &task, Value panel, Value first);
  void emitTile(const Task &task, const Block &block, Value c, Value tap, Value m);
  Value sumsOf(const Task &task, Value c, Value tap, Value m);
  void emitEpilogue(const Task &task, Epilogue epilogue);
  /// Range [low, high) of output rows or columns.
  struct Range {
    Value low, high;
  };
  Range validRange(Value tap, unsigned axis);

  KernelEmitter &e;
  const Window &source; // the image in memory
  const Window &window; // as tiles see the image
  ProductShape shape;
  const FilterBlocking &blocking;
  PanelFormat format;
  Side cotangent, image;
  Value sums, rows; // rows: image rows under a block's windows
};

} // namespace ampc::cpu
#endif
