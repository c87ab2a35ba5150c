// Standard error of MLIR's drivers, which write text of models to it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_STANDARDERROR_H
#define TOOLS_STANDARDERROR_H

namespace ampc {
/// Makes standard error spell control characters, like messages(), for every caller of write() in
/// this process: MLIR's handlers of diagnostics accept no other stream than llvm::errs(). Turns
/// colors off, since colors are control characters.
void spellStandardError();
} // namespace ampc
#endif
