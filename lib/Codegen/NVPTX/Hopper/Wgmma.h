// Warpgroup products with both operands in shared memory (wgmma SS).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_HOPPER_WGMMA_H
#define LIB_CODEGEN_NVPTX_HOPPER_WGMMA_H

#include "lib/Codegen/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

/// Bytes of a row of a tile, whose 16-byte chunks are swizzled.
constexpr int64_t tileRowBytes = 128;
/// Points of k per k-tile, for 16-bit numbers: 64.
constexpr int64_t kTilePoints = tileRowBytes / 2;

/// Operand tile of `lines` by a k-tile of 16-bit numbers in shared memory, at a multiple of 1024
/// bytes. Along the depth: [lines, 64], a row per line. Across the depth: [lines / 64][64 points of
/// k][64 lines], a row per point of k.
struct WgmmaTile {
  int64_t lines;
  bool alongDepth;

  int64_t bytes() const { return lines * tileRowBytes; }
  /// Matrix descriptor of the tile at `place`: an i64.
  mlir::Value descriptor(DeviceEmitter &e, mlir::Value place) const;
  /// Increment of the descriptor for the next 16 points of k.
  int64_t step() const { return (alongDepth ? 32 : 16 * tileRowBytes) / 16; }
};

/// Issues sums + left * right over a k-tile, [64, 64] x [64, right.lines], in program order, and
/// commits a wgmma group. Accumulator layout of mma.sync: a thread has two neighbouring columns of
/// two rows in every eight columns. With `adds` (an i32) equal to 0 the old accumulators are
/// ignored.
llvm::SmallVector<mlir::Value> issueProducts(DeviceEmitter &e, const WgmmaTile &left,
                                             const WgmmaTile &right, mlir::Value leftPlace,
                                             mlir::Value rightPlace, mlir::Type element,
                                             mlir::ValueRange sums, mlir::Value adds);
/// Waits until all but the last `groups` wgmma groups are complete.
void waitForProducts(DeviceEmitter &e, int64_t groups);
/// Undefined accumulators for the first wgmma of a tile, which ignores the values (scale-d = 0).
/// Zeros would be materialized by moves between wgmma.fence and wgmma.mma_async, which the fence
/// does not cover.
llvm::SmallVector<mlir::Value> undefinedAccumulators(DeviceEmitter &e, int64_t columns);

} // namespace ampc::nvptx
#endif
