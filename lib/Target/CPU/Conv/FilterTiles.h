// The gradient of a filter in matrix tiles: sums walk padded planes of pixels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CONV_FILTERTILES_H
#define LIB_TARGET_CPU_CONV_FILTERTILES_H

#include "lib/Target/CPU/Conv/FilterGradient.h"

namespace ampc::cpu {

/// dW[o][tap][c] = sum over pixels of dY[pixel][o] * X[pixel moved by the tap][c], in blocks of 32
/// outputs by 32 channels. A point of k is the same pixel of two images, so that no tap splits a
/// pair. Rows of pixels lie `pitch` points apart and pairs of images `height` rows, with zeros
/// between them that neighbours share: a tap is one distance in points for every pixel, and a
/// packed copy of the image serves all taps. With strides there is a plane for each of their
/// phases that a tap meets. Where dY has zeros X may be any number, and must be finite: an infinity
/// in X reaches all taps of its channel.
///
/// Small images of large batches are stacked instead: a pixel is `stack` points, one per pair of
/// images, and rows lie side by side without zeros. A tap goes through the rows and columns whose
/// pixels it moves to others, which are whole steps of tiles.
struct FilterTiles : FilterTasks {
  /// Nothing if another form is faster: few channels, or images so small, and not enough of them to
  /// be stacked, that zeros are a third of what is multiplied.
  static std::optional<FilterTiles> of(const Window &window, const ProductShape &shape,
                                       int64_t parts, const Tier &tier);

  Window window;
  Multiply multiply; // on pairs that are as they lie in memory
  int64_t outputs;   // of a group
  int64_t pitch, height;
  int64_t low[2], high[2];        // rows (columns) of a plane that taps move points by
  int64_t blockRows, blockPoints; // of a block; points are rounded up to whole steps of tiles
  int64_t pairs, partPairs;       // of images
  int64_t stack = 0;              // pairs at a pixel; 0: planes of one pair after the other

  /// Along an axis taps meet so many phases of the strides in turn: tap t the one of number t %
  /// phases, which are the pixels from `phaseStart` on.
  int64_t phases(unsigned axis) const;
  int64_t phaseStart(unsigned axis, int64_t number) const;
  int64_t phases() const { return phases(0) * phases(1); }
  int64_t scratchBytes() const;
  /// Rows of a plane that the taps of a block reach; its points, with those that the taps of the
  /// first row and of the last step reach. Stacked images: all rows and nothing else.
  int64_t planeRows() const { return stack ? size(0) : blockRows + high[0] - low[0]; }
  int64_t lead() const { return stack ? 0 : std::max<int64_t>(0, -low[1]); }
  int64_t planePoints() const;
  /// Rows (columns) of outputs, and of the largest phase of the image.
  int64_t outputSize(unsigned axis) const { return axis ? window.outWidth : window.outHeight; }
  int64_t size(unsigned axis) const;
  /// Rows (columns) that the taps along an axis move to others, added up.
  int64_t reached(unsigned axis) const;

private:
  int64_t chooseStack() const;
};

/// Emits the tasks of a filter's gradient.
class FilterTilesEmitter {
public:
  using Epilogue = FilterGradientEmitter::Epilogue;
  FilterTilesEmitter(KernelEmitter &e, const FilterTiles &tiles, mlir::Value image,
                     mlir::Value cotangent);
  void emit(mlir::Value begin, mlir::Value end, mlir::Value scratch, Epilogue epilogue,
            Totals *totals);

private:
  using Value = mlir::Value;
  struct Task : FilterTasks::Place {
    Value pair, pairEnd; // of images
    Value row, rowEnd;   // of all pairs of images in planes
  };
  /// What a tap moves points by, in the plane of its phase.
  struct Move {
    Value phase, dy, dx;
  };
  /// Pixels in memory, of which every step-th row and column from `start` on is taken.
  struct Pixels {
    Value pointer;
    int64_t height, width, channels;
    int64_t start[2], step[2];

    int64_t count(unsigned axis) const;
  };
  Task locate(Value number);
  void clear(Value pointer, int64_t units);
  void packRows(const Pixels &pixels, const Task &task, Value firstRow, int64_t rows, Value channel,
                Value to);
  void packRow(const Pixels &pixels, Value pair, Value y, Value channel, Value to);
  void packStack(const Pixels &pixels, const Task &task, Value pair, Value channel, Value to);
  void pack(const Pixels &pixels, const Task &task, Value first, int64_t rows, Value channel,
            Value to);
  void packImage(const Task &task, Value first);
  void packCotangent(const Task &task, Value first);
  void turn(Value panel);
  Value planeOf(const Task &task, Value c, Value phase);
  Value sumsOf(const Task &task, Value c, Value tap, Value m);
  Move moveOf(Value tap);
  void forSums(const Task &task, llvm::function_ref<void(Value c, Value m, Value tap)> body);
  void addTiles(const Task &task, Value c, Value m, Value tap, Value plane, Value point,
                Value moved, Value points, Value runs);
  void addPlanes(const Task &task);
  void addStacks(const Task &task);
  void emitEpilogue(const Task &task, Epilogue epilogue);

  KernelEmitter &e;
  const FilterTiles &tiles;
  const Window &window;
  Value image, cotangent;
  Value sums, turned, lines, planes;
};

} // namespace ampc::cpu
#endif
