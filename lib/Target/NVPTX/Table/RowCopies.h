// Rows of tensors by threads that each have some neighbouring columns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_TABLE_ROWCOPIES_H
#define LIB_TARGET_NVPTX_TABLE_ROWCOPIES_H

#include "mlir/IR/Types.h"
#include <cstdint>

namespace ampc::nvptx {

/// As many as fill 16 bytes, if rows start at multiples of that.
int64_t columnsPerThread(mlir::Type element, int64_t width);

} // namespace ampc::nvptx
#endif
