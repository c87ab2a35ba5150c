// Attention on matrix units.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_ATTENTION_FLASHFORMS_H
#define LIB_TARGET_NVPTX_ATTENTION_FLASHFORMS_H

#include "lib/Target/NVPTX/Attention/FlashShape.h"
#include "lib/Target/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

void emitFlashAttention(const FlashShape &shape, DeviceCode &code);
/// Where rowsum(g o) of a query (a position) is before its cotangent is stored: numbers of up to
/// sixteen neighbouring queries share the row of the first of them, so that loads and stores have
/// whole sectors. Blocks of queries have whole groups of them. `start`: of the entry's rows.
mlir::Value deltaPlace(DeviceEmitter &e, const FlashShape &shape, mlir::Value start,
                       mlir::Value query);
/// The launch before those of the gradient: rowsum(g o) of every query.
void emitFlashDeltas(kernel::AttentionGradOp op, const FlashShape &shape, DeviceCode &code);
void emitFlashAttentionGrad(kernel::AttentionGradOp op, const FlashShape &shape, DeviceCode &code);

} // namespace ampc::nvptx
#endif
