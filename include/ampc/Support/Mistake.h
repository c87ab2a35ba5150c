// User error with a message.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_MISTAKE_H
#define AMPC_SUPPORT_MISTAKE_H

#include "llvm/Support/Error.h"

namespace ampc {
inline llvm::Error mistake(const llvm::Twine &message) { return llvm::createStringError(message); }
} // namespace ampc
#endif
