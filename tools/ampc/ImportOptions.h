// What the command line says of a file of ONNX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_IMPORTOPTIONS_H
#define TOOLS_AMPC_IMPORTOPTIONS_H

#include "ampc/Import/ONNX.h"

namespace ampc {
/// Options of every command that reads a model.
llvm::Expected<ImportOptions> readImportOptions();
} // namespace ampc
#endif
