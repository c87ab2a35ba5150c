// JSON that users hand in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_JSON_H
#define AMPC_SUPPORT_JSON_H

#include "ampc/Support/Text.h"
#include "llvm/Support/JSON.h"

namespace ampc {
/// LLVM's parser, which recurses, behind a limit on how deep brackets are nested.
inline llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text) {
  if (findDeepBracket(text))
    return llvm::createStringError("brackets nested more than " + std::to_string(mostNested) +
                                   " deep");
  return llvm::json::parse(text);
}
} // namespace ampc
#endif
