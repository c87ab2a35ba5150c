// Spelling suggestions: the known word nearest to a misspelled word.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_NEAREST_H
#define AMPC_SUPPORT_NEAREST_H

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <string>

namespace ampc {
/// Edit distance of two words; distances beyond `least` are not computed further.
inline unsigned distanceOf(llvm::StringRef word, llvm::StringRef other, unsigned least) {
  // A transposition of neighbouring letters counts as a single edit: "mlpt" -> "mltp".
  for (size_t i = 0; word.size() == other.size() && i + 1 < word.size(); ++i)
    if (std::string swapped = word.str(); std::swap(swapped[i], swapped[i + 1]), other == swapped)
      return 1;
  return word.edit_distance(other, true, least);
}

/// Nearest word of `known`: the shortest word with the prefix `word`, or a word within an edit
/// distance of a third of the letters plus 1, and less than the length of `word`; empty if none is
/// near.
template <typename Words> std::string nearest(llvm::StringRef word, const Words &known) {
  std::string longer;
  for (llvm::StringRef candidate : known)
    if (word.size() > 2 && candidate.starts_with(word) &&
        (longer.empty() || candidate.size() < longer.size()))
      longer = candidate.str();
  if (!longer.empty())
    return longer;
  std::string best;
  unsigned least = std::min(word.size() / 3 + 2, word.size());
  for (llvm::StringRef candidate : known)
    // Among equally near words, prefer the same first letter.
    if (unsigned distance = distanceOf(word, candidate, least);
        distance < least || (distance == least && !best.empty() && best[0] != word[0] &&
                             candidate.starts_with(word.take_front()))) {
      least = distance;
      best = candidate.str();
    }
  return best;
}

/// "; did you mean WORD?", or nothing.
template <typename Words> std::string didYouMean(llvm::StringRef word, const Words &known) {
  std::string best = nearest(word, known);
  return best.empty() ? "" : "; did you mean " + best + "?";
}
} // namespace ampc
#endif
