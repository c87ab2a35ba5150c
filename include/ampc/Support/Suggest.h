// What somebody meant to write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_SUGGEST_H
#define AMPC_SUPPORT_SUGGEST_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace ampc {
/// "; did you mean NAME?" for the end of a message, if one of the names is like the word.
template <typename Names> std::string suggest(llvm::StringRef word, const Names &names) {
  std::string best;
  unsigned least = word.size() / 3 + 2;
  for (llvm::StringRef name : names)
    if (unsigned distance = word.edit_distance(name, /*AllowReplacements=*/true, least);
        distance < least) {
      least = distance;
      best = name.str();
    }
  return best.empty() ? "" : "; did you mean " + best + "?";
}
} // namespace ampc
#endif
