// Lists of names in messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DATA_NAMELIST_H
#define LIB_DATA_NAMELIST_H

#include <string>
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
} // namespace ampc
#endif
