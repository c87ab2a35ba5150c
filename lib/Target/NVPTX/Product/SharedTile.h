// A tile of numbers in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_SHAREDTILE_H
#define LIB_TARGET_NVPTX_PRODUCT_SHAREDTILE_H

#include "lib/Target/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

/// Rows of chunks of 16 bytes. Chunks of a row change places with each other by a key that differs
/// among eight neighbouring rows (four, of rows of 64 bytes): eight chunks at one place of eight
/// rows, which ldmatrix reads, lie in different banks, as do those of a row. With `readsPairs`, two
/// neighbouring chunks of four rows do: that is what loads of single numbers across rows read.
struct SharedTile {
  int64_t rows, chunks; // chunks: 4, 8, 16 or 32
  bool readsPairs = false;

  int64_t rowBytes() const { return 16 * chunks; }
  int64_t bytes() const { return rows * rowBytes(); }
  /// Byte offset of a chunk. That of a row 8 further on (4, of pairs) is as many rowBytes() more,
  /// and that of chunk c ^ x is the offset ^ 16 x.
  mlir::Value offset(DeviceEmitter &e, mlir::Value row, mlir::Value chunk) const {
    mlir::Value key = chunks == 4 ? e.and32(e.div32(row, 2), 3) : e.and32(row, 7);
    if (readsPairs)
      key = e.mul32(e.and32(row, 3), 2);
    return e.add32(e.mul32(row, rowBytes()), e.mul32(e.xor32(chunk, key), 16));
  }
};

} // namespace ampc::nvptx
#endif
