// Words of users in messages, and text that parsers had better not see.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_TEXT_H
#define AMPC_SUPPORT_TEXT_H

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <optional>
#include <string>

namespace ampc {
/// A word that a message ends with; nothing is written as two quotes.
inline std::string shown(llvm::StringRef word) { return word.empty() ? "\"\"" : word.str(); }

/// "a, b or c", for messages and help.
template <typename Words> std::string joinWords(const Words &words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + llvm::StringRef(words[i]).str();
  return text;
}

/// How deep brackets may be nested: the parsers of MLIR and of JSON recurse, to the end of the
/// stack if they have to.
constexpr int mostNested = 1000;

/// The first bracket that is nested deeper, if there is one; outside strings and comments.
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
