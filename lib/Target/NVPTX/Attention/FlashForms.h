// Attention on matrix units.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_ATTENTION_FLASHFORMS_H
#define LIB_TARGET_NVPTX_ATTENTION_FLASHFORMS_H

#include "lib/Target/NVPTX/Attention/FlashShape.h"
#include "lib/Target/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

void emitFlashAttention(const FlashShape &shape, DeviceCode &code);
void emitFlashAttentionGrad(kernel::AttentionGradOp op, const FlashShape &shape, DeviceCode &code);

} // namespace ampc::nvptx
#endif
