// Op that mixes the rows of a batch, with its line in the model's text, for messages about batches
// that are not full.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_MIXEDROWS_H
#define TOOLS_AMPC_MIXEDROWS_H

#include "ampc/Pipelines/Compiler.h"
#include "ampc/Runtime/Runtime.h"

namespace ampc {
/// "train.softmax at line 6 (softmax#0)", or "the model" if no single op mixes rows. Libraries hold
/// the stable name only, so the request's model is read once more for the line; without a line, as
/// in ONNX files, the op has its name.
std::string mixerOf(CompileRequest request, const ampc_program &program);
} // namespace ampc
#endif
