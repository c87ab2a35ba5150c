// Budget of activations that a step keeps for its backward pass.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PRECISION_ACTIVATIONBUDGET_H
#define AMPC_PRECISION_ACTIVATIONBUDGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace ampc {
/// Budget in bytes, or in percent of the bytes that a step keeps if only values without cost are
/// rematerialized. Example: 40% of 100 MB -> 40 MB.
struct ActivationBudget {
  double amount = 0;
  bool isPercent = false;

  /// Parses "52428800", "50MB" (10^6), "50MiB" (2^20) or "40%".
  static llvm::Expected<ActivationBudget> parse(llvm::StringRef text);
  int64_t bytesOf(int64_t without) const {
    return int64_t(isPercent ? amount * 0.01 * double(without) : amount);
  }
};
} // namespace ampc
#endif
