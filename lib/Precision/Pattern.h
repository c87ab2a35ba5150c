// Bounds on time and memory for the regular expressions of a policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_PATTERN_H
#define LIB_PRECISION_PATTERN_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace ampc {
/// Requirement that a regular expression violates, if matching may take too much memory or stack;
/// nothing for a bounded expression. Example: `a{9}{9}{9}{9}{9}` -> "of at most 10000 characters,
/// ...".
std::optional<std::string> boundedInstead(llvm::StringRef pattern);
} // namespace ampc
#endif
