// Bounds on time and memory for the regular expressions of a policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Pattern.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace ampc;
using llvm::SmallVector;
using llvm::StringRef;

namespace {
/// Size of a parenthesized group: `total` counts character copies, `last` the copies of the element
/// that a following repetition repeats. Example: `(ab{3})` has total 4, last 3.
struct Group {
  uint64_t total = 0, last = 0;
  void add(uint64_t size) {
    total = llvm::SaturatingAdd(total, size);
    last = size;
  }
  void repeat(uint64_t times) {
    uint64_t once = last;
    last = llvm::SaturatingMultiply(once, times);
    total = llvm::SaturatingAdd(total - once, last);
  }
};
} // namespace

/// Larger number of a repetition `{M}`, `{M,}` or `{M,N}`; `text` starts at the brace.
static uint64_t repetitionsAt(StringRef text) {
  uint64_t first = 1, second = 1;
  text = text.drop_front();
  if (text.consumeInteger(10, first))
    return 1;
  if (text.consume_front(","))
    text.consumeInteger(10, second);
  return std::max({first, second, uint64_t(1)});
}

/// LLVM compiles a repetition to as many copies and recurses into parentheses. Brackets are read as
/// if the characters stood outside, which only overestimates the size.
std::optional<std::string> ampc::boundedInstead(StringRef pattern) {
  constexpr uint64_t mostCopies = 10000;
  constexpr size_t mostNested = 1000;
  SmallVector<Group> groups(1);
  for (size_t i = 0; i < pattern.size(); ++i) {
    char c = pattern[i];
    if (c == '(') {
      groups.emplace_back();
    } else if (c == ')' && groups.size() > 1) {
      uint64_t size = groups.pop_back_val().total;
      groups.back().add(llvm::SaturatingAdd(size, uint64_t(1)));
    } else if (c == '{') {
      groups.back().repeat(repetitionsAt(pattern.substr(i)));
    } else {
      // Back references recurse in LLVM's matcher deeper than a stack allows.
      if (c == '\\' && i + 1 < pattern.size() && llvm::isDigit(pattern[i + 1]))
        return "without back references, but got a back reference";
      i += c == '\\';
      groups.back().add(1);
    }
    if (groups.size() > mostNested)
      return "of parentheses nested at most " + std::to_string(mostNested) +
             " deep, but got deeper nesting";
    if (groups.back().total > mostCopies)
      return "of at most " + std::to_string(mostCopies) +
             " characters, repetitions written out, but got more";
  }
  return std::nullopt;
}
