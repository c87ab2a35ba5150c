// Filter gradient on AMX: sums walk padded planes of pixels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_CONV_FILTERTILES_H
#define LIB_CODEGEN_CPU_CONV_FILTERTILES_H

#include "lib/Codegen/CPU/Conv/FilterGradient.h"

namespace ampc::cpu {

/// dW[o][tap][c] = sum over pixels of dY[pixel][o] * X[pixel shifted by the tap][c], in C blocks of
/// 32 outputs x 32 channels. A point of k is the same pixel of two images, so that no tap splits a
/// VNNI pair. Rows are `pitch` points apart and pairs of images `height` rows, with zeros in
/// between that neighbours share: a tap is one distance in points for all pixels, and a single
/// packed image serves all taps. Example: rows of 14 pixels, 3 taps -> pitch 15 and distances -1,
/// 0, 1. With strides there is one plane per phase of the strides that a tap uses. Zeros of dY
/// multiply arbitrary points of X, which must be finite: an infinity in X reaches all taps of the
/// channel (0 * inf = NaN).
///
/// Small images of large batches are stacked: a pixel is `stack` points, one per pair of images,
/// and rows are adjacent without zeros. A tap walks the rows and columns whose shifted pixels lie
/// in the image, which are whole tile steps.
struct FilterTiles : FilterTasks {
  /// Nullopt without code, as for channels that are no multiple of 32, or if another form is
  /// faster: small images of small batches, whose planes would be a third zeros.
  static std::optional<FilterTiles> choose(const Window &window, const ProductShape &shape,
                                           int64_t parts, const Tier &tier);
  /// Tiles of a plan; nothing, with a reason in `why`, if the tier has no code for that.
  static std::optional<FilterTiles> by(kernel::FilterBlockingAttr plan, const Window &window,
                                       const ProductShape &shape, int64_t parts, const Tier &tier,
                                       std::string &why);
  kernel::FilterBlockingAttr attribute(mlir::MLIRContext *context, const Tier &tier) const;

  Window window;
  Multiply multiply; // tile instruction for VNNI pairs as packed
  int64_t outputs;   // per group
  int64_t pitch, height;
  int64_t low[2], high[2];        // least and greatest shift by a tap, in rows (columns) of a plane
  int64_t blockRows, blockPoints; // per block; points are rounded up to whole tile steps
  int64_t pairs, partPairs;       // of images; in a slice
  int64_t stack = 0;              // pairs per pixel; 0: planes, pair after pair

  /// Number of stride phases that the taps along an axis use: tap t uses phase t % phases, whose
  /// pixels start at `phaseStart`. Example: stride 2, 3 taps -> 2 phases.
  int64_t phases(unsigned axis) const;
  int64_t phaseStart(unsigned axis, int64_t number) const;
  int64_t phases() const { return phases(0) * phases(1); }
  int64_t scratchBytes() const;
  /// Plane rows under the taps of a block; plane points, plus the points before the first row and
  /// behind the last tile step that taps reach. A stack has exactly the image's rows and points.
  int64_t planeRows() const { return stack ? size(0) : blockRows + high[0] - low[0]; }
  int64_t lead() const { return stack ? 0 : std::max<int64_t>(0, -low[1]); }
  int64_t planePoints() const;
  /// Rows (axis 0) or columns (axis 1) of the outputs, and of the largest phase of the image.
  int64_t outputSize(unsigned axis) const { return axis ? window.outWidth : window.outHeight; }
  int64_t size(unsigned axis) const;
  /// Rows (columns) whose shifted pixels lie in the image, summed over the taps along an axis.
  int64_t reached(unsigned axis) const;

private:
  /// Sizes without choices; nothing if the tier has no code.
  static std::optional<FilterTiles> of(const Window &window, const ProductShape &shape,
                                       int64_t parts, const Tier &tier);
  int64_t chooseStack() const;
  void cutBlocks(int64_t rows);
};

/// Emits the tasks of a filter gradient.
class FilterTilesEmitter {
public:
  using Epilogue = FilterGradientEmitter::Epilogue;
  FilterTilesEmitter(KernelEmitter &e, const FilterTiles &tiles, mlir::Value image,
                     mlir::Value cotangent);
  void emit(mlir::Value begin, mlir::Value end, mlir::Value scratch, Epilogue epilogue,
            FusedReductions *reductions);

private:
  using Value = mlir::Value;
  struct Task : FilterTasks::TaskBounds {
    Value pair, pairEnd; // of images
    Value row, rowEnd;   // of all pairs of images, as planes
  };
  /// Shift of a tap in points, and the phase whose plane the tap reads.
  struct Move {
    Value phase, dy, dx;
  };
  /// Pixels in memory: every step-th row and column from `start` on.
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
