// kernel.sort_by_key: sort by row, then mark the boundaries of segments. Example: index [3, 7, 3]
// -> rows [3, 7, -1], order [0, 2, 1], starts [0, 2, 3, 3].
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_TABLE_SORTBYKEY_H
#define LIB_CODEGEN_NVPTX_TABLE_SORTBYKEY_H

#include "lib/Codegen/NVPTX/Table/RadixSort.h"

namespace ampc::nvptx {

void emitSortByKey(mlir::Operation *op, DeviceCode &code);
int64_t groupWorkspace(mlir::Operation *op, const Chip &);

} // namespace ampc::nvptx
#endif
