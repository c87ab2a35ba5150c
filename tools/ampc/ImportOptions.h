// Options of every command that reads a model: sizes, and how a file of ONNX is imported.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_IMPORTOPTIONS_H
#define TOOLS_AMPC_IMPORTOPTIONS_H

#include "ampc/Pipelines/Compiler.h"

namespace ampc {
/// Mistakes in --set, --loss, --optimizer, --batch, --dim, --shape, --input and --mode.
llvm::Error checkModelOptions();
/// Request for the model in `path` with the options of the command line, checked before.
CompileRequest requestFor(llvm::StringRef path);
} // namespace ampc
#endif
