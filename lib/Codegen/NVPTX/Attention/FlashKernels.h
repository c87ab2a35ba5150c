// Flash attention on matrix units (mma.sync or wgmma).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_ATTENTION_FLASHKERNELS_H
#define LIB_CODEGEN_NVPTX_ATTENTION_FLASHKERNELS_H

#include "lib/Codegen/NVPTX/Attention/FlashShape.h"
#include "lib/Codegen/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Emits the launch of the op's plan, which has tiles.
void emitFlashAttention(kernel::AttentionOp op, DeviceCode &code);
/// Address of a query's delta, rowsum(g o), before the query's cotangent is stored. The deltas of
/// up to 16 neighbouring queries share the result row of the first query, so that loads and stores
/// access whole 32-byte sectors. A block of queries owns whole groups. `start`: address of the
/// entry's rows; `query`: of type index.
mlir::Value deltaPlace(DeviceEmitter &e, const FlashShape &shape, mlir::Value start,
                       mlir::Value query);
/// Launch in front of the gradient's launches: deltas of all queries.
void emitFlashDeltas(kernel::AttentionGradOp op, const FlashShape &shape, DeviceCode &code);
/// Emits the launches of the op's plan, which has tiles.
void emitFlashAttentionGrad(kernel::AttentionGradOp op, DeviceCode &code);

} // namespace ampc::nvptx
#endif
