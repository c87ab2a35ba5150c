// Parsing of untrusted JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_JSON_H
#define AMPC_SUPPORT_JSON_H

#include "ampc/Support/Text.h"
#include "llvm/Support/JSON.h"

namespace ampc {
/// Parses JSON with LLVM's recursive parser after a check of the nesting depth, which would
/// otherwise overflow the stack.
inline llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text) {
  if (findDeepBracket(text))
    return llvm::createStringError("brackets nested more than " + std::to_string(mostNested) +
                                   " deep");
  return llvm::json::parse(text);
}
} // namespace ampc
#endif
