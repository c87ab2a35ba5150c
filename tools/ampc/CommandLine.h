// Mistakes on the command line, in the words of the other messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_COMMANDLINE_H
#define TOOLS_AMPC_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"
#include <limits>
#include <string>

namespace ampc {
/// Parses a whole number in decimal digits, e.g. `--threads=8`. LLVM's parser takes 010 for 8.
template <typename T, T least = std::numeric_limits<T>::min()>
class WholeParser : public llvm::cl::parser<T> {
public:
  using llvm::cl::parser<T>::parser;
  bool parse(llvm::cl::Option &option, llvm::StringRef name, llvm::StringRef text, T &value) {
    bool isRead = !text.getAsInteger(10, value);
    if (isRead && value >= least)
      return false;
    bool isAbove = !isRead && !text.empty() && llvm::all_of(text, llvm::isDigit);
    std::string bound = isAbove     ? " of at most " + std::to_string(std::numeric_limits<T>::max())
                        : least < 0 ? ""
                                    : " of at least " + std::to_string(least);
    return option.error("'" + text + "' value invalid for whole number" + bound + " argument!");
  }
};
template <typename T> using WholeOption = llvm::cl::opt<T, false, WholeParser<T>>;
/// An option for a number of at least 1; the first value may be 0, for none.
using CountOption = llvm::cl::opt<unsigned, false, WholeParser<unsigned, 1>>;

/// A word quoted for a shell, e.g. a b -> 'a b'.
std::string quotedWord(llvm::StringRef word);
/// The command line without some options, for another run; words are quoted for a shell.
std::string commandWithout(llvm::ArrayRef<llvm::StringRef> options);

/// Reads the words behind the program's name, of which the first is a command. False after a
/// message.
bool readCommandLine(llvm::ArrayRef<const char *> words, llvm::StringRef overview);
} // namespace ampc
#endif
