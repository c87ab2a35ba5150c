// The gradient of a filter from images and cotangents, pixel by pixel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CONV_FILTERGRADIENT_H
#define LIB_TARGET_CPU_CONV_FILTERGRADIENT_H

#include "lib/Target/CPU/Conv/FilterTasks.h"
#include "lib/Target/CPU/Conv/ImagePanels.h"
#include "lib/Target/CPU/Data/Totals.h"

namespace ampc::cpu {

/// Per group and tap: dW[o][c] = sum over pixels of dY[pixel][o] * X[pixel moved by the tap][c]. A
/// register tile has `rows` output channels x `columns()` input channels of one tap; its sums walk
/// the pixels of a block, a few rows of an image or a few images. A point of k is a pixel, or the
/// same pixel of two images if products are formed in pairs, so that one packed copy of the image
/// serves all taps. Pixels whose tap lies in the padding are left out.
///
/// Channels too few to fill vectors are gathered instead: a pixel's window becomes a line of (tap,
/// channel), zeros in the padding, and tiles see an image of one tap with that many channels.
struct FilterBlocking : FilterTasks {
  FilterBlocking(const Window &image, const ProductShape &shape, int64_t parts, const Tier &tier);
  /// Whether windows are gathered. Vectors then beat matrix tiles, whose panels are gathered
  /// element by element.
  static bool gathersWindows(const Window &image, const ProductShape &shape, const Tier &tier);

  bool gathers;
  Window window; // as tiles walk it
  Multiply multiply;
  int64_t depth;                 // images per point
  int64_t rows, vectors, width;  // of a tile
  int64_t imageUnits, partUnits; // points per pixel: in all, in a part
  int64_t blockUnits, blockRows; // of a block; blockUnits is 1 unless blockRows is all
  int64_t imageRows;             // of the image that a block's windows reach at most
  bool inPlace;                  // both sides are read where they are
  int64_t windowRows, rowUnits;  // of the image under a block's windows, if they are gathered

  int64_t columns() const { return vectors * width; }
};

/// Emits the tasks of a filter's gradient.
class FilterGradientEmitter {
public:
  /// `sums` belong to (part, output channel, position in the filter of that channel ...).
  using Epilogue = llvm::function_ref<void(mlir::Value part, mlir::Value output,
                                           mlir::Value position, int64_t active, mlir::Value sums)>;

  FilterGradientEmitter(KernelEmitter &e, const Window &source, const ProductShape &shape,
                        const FilterBlocking &blocking, mlir::Value image, mlir::Value cotangent);
  void emit(mlir::Value begin, mlir::Value end, mlir::Value scratch, Epilogue epilogue,
            Totals *totals);

  static int64_t scratchBytes(const ProductShape &shape, const FilterBlocking &blocking);

private:
  using Value = mlir::Value;
  /// Pixels of one side, packed or in memory; strides in units of the panels.
  struct Side {
    Value pointer;
    mlir::Type element;
    int64_t height, width, channels, groupChannels; // in memory
    int64_t columnStride, channelStride = 1;        // there
    int64_t lines;                                  // of a panel
    int64_t pixel, row, image;                      // strides where tiles read
    int64_t panel;                                  // units of a packed panel
    Value packed;
  };
  using Task = FilterTasks::Place;
  struct Block {
    Value unit, unitEnd, y, yEnd;
    Value imageRow; // the first one packed
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
  /// Output rows or columns from `low` on, below `high`.
  struct Range {
    Value low, high;
  };
  Range validRange(Value tap, unsigned axis);

  KernelEmitter &e;
  const Window &source; // the image in memory
  const Window &window; // as tiles walk it
  ProductShape shape;
  const FilterBlocking &blocking;
  PanelFormat format;
  Side cotangent, image;
  Value sums, rows; // rows: of the image under a block's windows
};

} // namespace ampc::cpu
#endif
