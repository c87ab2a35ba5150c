// Text of data sources: lists of names in messages, and trimmed cells.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DATA_TEXT_H
#define LIB_DATA_TEXT_H

#include <string>
#include <string_view>
#include <vector>

namespace ampc {
/// The first `most` names, in quotes. Example: "'a', 'b' and 3 more"; "" without names.
inline std::string nameList(const std::vector<std::string> &names, size_t most) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < most; ++i)
    text += (i ? ", '" : "'") + names[i] + "'";
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

/// Text without blanks at both ends. Example: " 3\t" -> "3".
inline std::string_view trimmed(std::string_view text) {
  auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && isBlank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && isBlank(text.back()))
    text.remove_suffix(1);
  return text;
}
} // namespace ampc
#endif
