// Which regular expressions of a policy are matched in bounded time and memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_PATTERN_H
#define LIB_PRECISION_PATTERN_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace ampc {
/// What a regular expression must be instead, if matching it may take too much memory or stack.
std::optional<std::string> boundedInstead(llvm::StringRef pattern);
} // namespace ampc
#endif
