// Diagnostics of the parser about clauses of ops, such as `smoothing 0.1`: missing, misspelled, or
// with a value of another kind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PIPELINES_SYNTAXMESSAGES_H
#define LIB_PIPELINES_SYNTAXMESSAGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace ampc {
/// Text of the model before and behind the location of a diagnostic.
struct TextAt {
  llvm::StringRef before, after;
};
/// Next word of the text in quotes, e.g. 'relu' of `relu(%x)`.
std::string wordAt(llvm::StringRef after);
/// Replacement for a message of the parser, as in
///   expected floating point literal -> expected a number, but got '"0.5"'
/// Nothing if the message is clear.
std::optional<std::string> clearerSyntax(llvm::StringRef text, TextAt at);
/// Message for a word where an op should begin: a misspelled clause of the op before, or an op
/// without `train.`. `operations` holds the names of all ops, as in relu.
std::string wordInsteadOfOp(llvm::StringRef word, TextAt at,
                            llvm::ArrayRef<llvm::StringRef> operations);
/// Number of characters from the end of the preceding line's text to the location, if the location
/// is the first word of a line and the text ends too early on the preceding line; otherwise 0.
///   %y = train.layer_norm %x, %g, %b      <- the error belongs here, behind %b
///   train.return %y                       <- the parser reports the error here
size_t distanceToEarlyEnd(llvm::StringRef text, TextAt at);
} // namespace ampc
#endif
