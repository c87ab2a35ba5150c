// Text of users in messages, and limits on text before recursive parsers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_TEXT_H
#define AMPC_SUPPORT_TEXT_H

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <optional>
#include <string>

namespace ampc {
/// Word at the end of a message; the empty word is shown as two quotes.
inline std::string shown(llvm::StringRef word) { return word.empty() ? "\"\"" : word.str(); }

/// Joins words for messages and help: {a, b, c} -> "a, b or c".
template <typename Words> std::string joinWords(const Words &words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + llvm::StringRef(words[i]).str();
  return text;
}

/// Maximum nesting depth of brackets: the parsers of MLIR and JSON recurse and would overflow the
/// stack.
constexpr int mostNested = 1000;

/// Position of the first bracket beyond the maximum depth, outside strings and comments; nothing if
/// there is none.
inline std::optional<size_t> findDeepBracket(llvm::StringRef text) {
  int depth = 0;
  bool inString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"')
      inString = !inString;
    else if (inString)
      i += c == '\\';
    else if (text.substr(i).starts_with("//"))
      i = std::min(text.find('\n', i), text.size());
    else if (text.substr(i).starts_with("->"))
      ++i;
    else if (llvm::StringRef("([{<").contains(c) && ++depth > mostNested)
      return i;
    else if (llvm::StringRef(")]}>").contains(c))
      depth = std::max(0, depth - 1);
  }
  return std::nullopt;
}
} // namespace ampc
#endif
