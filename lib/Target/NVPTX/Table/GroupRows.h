// kernel.group_rows: a sort, then where the row changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_TABLE_GROUPROWS_H
#define LIB_TARGET_NVPTX_TABLE_GROUPROWS_H

#include "lib/Target/NVPTX/Table/RowSort.h"

namespace ampc::nvptx {

void emitGroupRows(mlir::Operation *op, DeviceCode &code);
int64_t groupWorkspace(mlir::Operation *op, const Chip &);

} // namespace ampc::nvptx
#endif
