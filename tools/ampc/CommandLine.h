// Mistakes on the command line, in the words of the other messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_COMMANDLINE_H
#define TOOLS_AMPC_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"

namespace ampc {
/// Parses a count of at least 1, e.g. `--threads=8`.
class CountParser : public llvm::cl::parser<unsigned> {
public:
  using parser::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef name, llvm::StringRef text,
             unsigned &value) {
    return text.getAsInteger(0, value) || value == 0
               ? option.error("'" + text + "' value invalid for count argument!")
               : false;
  }
};
/// An option for a number of at least 1; the first value may be 0, for none.
using CountOption = llvm::cl::opt<unsigned, false, CountParser>;

/// A word quoted for a shell, e.g. a b -> 'a b'.
std::string quotedWord(llvm::StringRef word);
/// The command line without some options, for another run; words are quoted for a shell.
std::string commandWithout(llvm::ArrayRef<llvm::StringRef> options);

/// Reads the words behind the program's name, of which the first is a command. False after a
/// message.
bool readCommandLine(llvm::ArrayRef<const char *> words, llvm::StringRef overview);
} // namespace ampc
#endif
