// Attention on matrix units.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_ATTENTION_FLASHFORMS_H
#define LIB_TARGET_NVPTX_ATTENTION_FLASHFORMS_H

#include "lib/Target/NVPTX/Attention/FlashShape.h"
#include "lib/Target/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

void emitFlashAttention(const FlashShape &shape, DeviceCode &code);
/// The launch before those of the gradient: rowsum(g o) of every query, to the first bytes of the
/// row of its cotangent.
void emitFlashDeltas(kernel::AttentionGradOp op, const FlashShape &shape, DeviceCode &code);
void emitFlashAttentionGrad(kernel::AttentionGradOp op, const FlashShape &shape, DeviceCode &code);

} // namespace ampc::nvptx
#endif
