// Standard error of MLIR's drivers, which write text of models to it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_STANDARDERROR_H
#define TOOLS_STANDARDERROR_H

namespace ampc {
/// From here on standard error spells control characters, as messages() does, whoever of this
/// process writes to it through write(): MLIR's handlers of diagnostics take no other stream than
/// llvm::errs(). Colors, which are control characters there, are off.
void spellStandardError();
} // namespace ampc
#endif
