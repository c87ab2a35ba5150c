// The table of options as a man page, and as completions for shells.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_MANUAL_H
#define TOOLS_AMPC_MANUAL_H

#include "llvm/Support/raw_ostream.h"

namespace ampc {
/// Prints the form `kind` of the table: man (ampc.1), bash, zsh or fish. False if there is no such
/// form.
bool printManual(llvm::StringRef kind, llvm::raw_ostream &os);
} // namespace ampc
#endif
