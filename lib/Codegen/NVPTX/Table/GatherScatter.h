// Copies of rows, with neighbouring columns per thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_TABLE_GATHERSCATTER_H
#define LIB_CODEGEN_NVPTX_TABLE_GATHERSCATTER_H

#include "mlir/IR/Types.h"
#include <cstdint>

namespace ampc::nvptx {

/// Columns per thread: as many as fill 16 bytes, if rows start at multiples of that size. Example:
/// f32, width 6 -> 2.
int64_t columnsPerThread(mlir::Type element, int64_t width);

} // namespace ampc::nvptx
#endif
