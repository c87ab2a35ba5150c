// Layout of an operand tile in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_SHAREDTILE_H
#define LIB_CODEGEN_NVPTX_PRODUCT_SHAREDTILE_H

#include "lib/Codegen/NVPTX/DeviceEmitter.h"

namespace ampc::nvptx {

/// Rows of 16-byte chunks with an XOR swizzle: chunk c of row r is stored at position c ^ (r % 8);
/// for 64-byte rows, at c ^ (r / 2 % 4). So chunk c of eight rows, as ldmatrix reads, falls into
/// different banks, as does a whole row. With `readsPairs` the key is 2 (r % 4): then pairs of
/// neighbouring chunks of four rows fall into different banks, as loads of single numbers across
/// rows read.
struct SharedTile {
  int64_t rows, chunks; // chunks: 4, 8, 16 or 32
  bool readsPairs = false;

  int64_t rowBytes() const { return 16 * chunks; }
  int64_t bytes() const { return rows * rowBytes(); }
  /// Byte offset of a chunk. Row r + 8 (r + 4 with readsPairs) is 8 (4) rowBytes() further, and
  /// chunk c ^ x is at offset ^ 16 x.
  mlir::Value offset(DeviceEmitter &e, mlir::Value row, mlir::Value chunk) const {
    mlir::Value key = chunks == 4 ? e.bitAnd(e.div(row, 2), 3) : e.bitAnd(row, 7);
    if (readsPairs)
      key = e.mul(e.bitAnd(row, 3), 2);
    return e.add(e.mul(row, rowBytes()), e.mul(e.bitXor(chunk, key), 16));
  }
};

} // namespace ampc::nvptx
#endif
