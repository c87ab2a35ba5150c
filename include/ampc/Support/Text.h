// Words of users in messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_TEXT_H
#define AMPC_SUPPORT_TEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace ampc {
/// A word that a message ends with; nothing is written as two quotes.
inline std::string shown(llvm::StringRef word) { return word.empty() ? "\"\"" : word.str(); }
} // namespace ampc
#endif
