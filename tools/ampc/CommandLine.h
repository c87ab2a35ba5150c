// Mistakes on the command line, in the words of the other messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_COMMANDLINE_H
#define TOOLS_AMPC_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace ampc {
/// Reads the words behind the program's name, of which the first is a command. False after a
/// message.
bool readCommandLine(llvm::ArrayRef<const char *> words, llvm::StringRef overview);
} // namespace ampc
#endif
