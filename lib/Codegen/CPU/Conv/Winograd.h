// Winograd convolution with 3x3 taps: geometry, transforms, and cost.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_CONV_WINOGRAD_H
#define LIB_CODEGEN_CPU_CONV_WINOGRAD_H

#include "lib/Codegen/CPU/Product/Product.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::cpu {

/// Small constant matrix M of a transform M x M'.
struct Transform {
  int64_t rows, columns;
  llvm::ArrayRef<double> numbers; // row-major

  /// M x M' of a square x, row-major. Terms are added in ascending order, except that a term of
  /// factor 1 comes first; factors of 0 are skipped. Example: [0.5, 1, 0] -> x1 + 0.5 x0.
  llvm::SmallVector<mlir::Value> apply(KernelEmitter &e, llvm::ArrayRef<mlir::Value> square) const;

private:
  mlir::Value dot(KernelEmitter &e, int64_t row, llvm::ArrayRef<mlir::Value> x) const;
};

/// F(outputs x outputs, 3x3): squares of side x side elements, side = outputs + 2.
struct WinogradTransform {
  int64_t outputs, side;
  Transform image, filter, output; // B', G and A' of the paper

  static const WinogradTransform &of(int64_t outputs);
  int64_t places() const { return side * side; }
};

/// Blocking. A task is `step` tiles x `nStep` output columns, processed in blocks of `block`
/// columns. A panels: transformed pixels of `rows` tiles, [places, rows, channels].
struct WinogradPlan {
  const WinogradTransform &form;
  int64_t images, height, width, channels, outputs; // sizes of the image; output channels
  int64_t outHeight, outWidth, paddingTop, paddingLeft;
  int64_t tilesDown, tilesAcross, tiles;
  int64_t lanes, vectors, rows;
  int64_t depth;                // channels per block of k
  int64_t step, mTasks;         // tiles per task
  int64_t block, nStep, nTasks; // columns per block, and per task
  // Strides in elements: between lines, and between places of pixels and of sums.
  int64_t line, pixelPlane, sumPlane;
  int64_t pixels, sums, finished, scratchBytes; // byte offsets in scratch, behind a line of zeros

  WinogradPlan(kernel::WinogradOp op, const Tier &tier);
  int64_t columns() const { return vectors * lanes; }
  int64_t tasks() const { return mTasks * nTasks; }
};

/// Tile side of the fastest Winograd form, at most `most`; 0 if direct convolution is faster.
int64_t chooseWinogradTile(mlir::Operation *convolution, int64_t most);

} // namespace ampc::cpu
#endif
