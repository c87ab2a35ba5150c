// Convolutions of 3x3 taps by tiles of outputs: geometry, matrices, and when they pay.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CONV_WINOGRAD_H
#define LIB_TARGET_CPU_CONV_WINOGRAD_H

#include "lib/Target/CPU/Product/Product.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::cpu {

/// A small matrix that multiplies squares of vectors from both sides.
struct Transform {
  int64_t rows, columns;
  llvm::ArrayRef<double> numbers; // row by row

  /// M x M' of a square x, row by row. Terms are added in ascending order, but that one of factor
  /// 1, if there is one, comes first; factors of 0 are left out.
  llvm::SmallVector<mlir::Value> apply(KernelEmitter &e, llvm::ArrayRef<mlir::Value> square) const;

private:
  mlir::Value dot(KernelEmitter &e, int64_t row, llvm::ArrayRef<mlir::Value> x) const;
};

/// Of tiles of `outputs` x `outputs`: squares of `side` numbers.
struct WinogradForm {
  int64_t outputs, side;
  Transform image, filter, output; // B', G, A'

  static const WinogradForm &of(int64_t outputs);
  int64_t places() const { return side * side; }
};

/// How a convolution by tiles is cut. A task is a number of tiles, and some columns; in turns it
/// forms the sums of a block of columns. Panels of A are the transformed pixels of `rows` tiles.
struct WinogradPlan {
  const WinogradForm &form;
  int64_t images, height, width, channels, outputs; // of the image, and columns
  int64_t outHeight, outWidth, paddingTop, paddingLeft;
  int64_t tilesDown, tilesAcross, tiles;
  int64_t lanes, vectors, rows;
  int64_t depth;                // channels of a block of k
  int64_t step, mTasks;         // tiles of a task
  int64_t block, nStep, nTasks; // columns of a turn, and of a task
  // In numbers: from line to line and from place to place, of pixels and of sums.
  int64_t line, pixelPlane, sumPlane;
  int64_t pixels, sums, finished, scratchBytes; // byte offsets, behind a line of zeros

  WinogradPlan(kernel::WinogradOp op, const Tier &tier);
  int64_t columns() const { return vectors * lanes; }
  int64_t tasks() const { return mTasks * nTasks; }
};

/// Outputs along each side of the fastest tiles, at most `most`; 0: tap by tap.
int64_t chooseWinogradTile(mlir::Operation *convolution, int64_t most);

} // namespace ampc::cpu
#endif
