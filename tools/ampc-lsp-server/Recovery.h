// Error recovery: further errors of a text after the first error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_LSP_SERVER_RECOVERY_H
#define TOOLS_AMPC_LSP_SERVER_RECOVERY_H

#include "mlir/IR/OpImplementation.h"

namespace ampc {
/// Reports further errors, since MLIR's parser stops at the first. Blanks the statement with the
/// error and all statements that refer to the blanked names, parses the rest, and repeats. `parser`
/// has failed on an outermost op.
void findMoreErrors(mlir::OpAsmParser &parser);
} // namespace ampc
#endif
