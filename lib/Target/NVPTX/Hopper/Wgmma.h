// Products of a warpgroup, with both factors in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_HOPPER_WGMMA_H
#define LIB_TARGET_NVPTX_HOPPER_WGMMA_H

#include "lib/Target/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

/// Bytes of a row of tiles, whose chunks of 16 bytes change places.
constexpr int64_t tileRowBytes = 128;
/// Points of k of a step, of 16-bit numbers.
constexpr int64_t stepPoints = tileRowBytes / 2;

/// Lines of a side of a product by a step of points of k, of 16-bit numbers, in shared memory at a
/// multiple of 1024 bytes. Along the depth a row is a line; across it, rows are points of k, and
/// every 64 lines have a square of 64 rows.
struct WgmmaTile {
  int64_t lines;
  bool alongDepth;

  int64_t bytes() const { return lines * tileRowBytes; }
  /// Which matrix begins at `place`, for wgmma: an i64.
  mlir::Value descriptor(DeviceEmitter &e, mlir::Value place) const;
  /// What is added to it for 16 points of k further on.
  int64_t step() const { return (alongDepth ? 32 : 16 * tileRowBytes) / 16; }
};

/// sums + left * right over a step, of 64 lines by `right.lines` columns: started, in program order
/// with others, and a group of its own. A thread has two neighbouring columns of two lines of every
/// eight columns, as mma leaves them. With `adds` (an i32) 0, without what the sums were.
llvm::SmallVector<mlir::Value> startProducts(DeviceEmitter &e, const WgmmaTile &left,
                                             const WgmmaTile &right, mlir::Value leftPlace,
                                             mlir::Value rightPlace, mlir::Type element,
                                             mlir::ValueRange sums, mlir::Value adds);
/// All but the last `groups` are complete.
void waitForProducts(DeviceEmitter &e, int64_t groups);
/// Sums that nothing has written yet, for products that add to nothing. Zeros would be moved to
/// registers between the fence and the product, where wgmma does not see them.
llvm::SmallVector<mlir::Value> undefinedSums(DeviceEmitter &e, int64_t columns);

} // namespace ampc::nvptx
#endif
