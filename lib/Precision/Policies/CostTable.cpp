// Comparison of policies by the bytes that a program moves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Policies/CostTable.h"
#include "lib/Precision/Policies/MinCut.h"
#include "lib/Precision/Policies/StorageCost.h"

using namespace mlir;
using namespace ampc;

const PrecisionPolicy &ampc::cheapestPolicy() {
  return **llvm::find_if(getPolicies(),
                         [](const auto &policy) { return policy->movesFewestBytes(); });
}

/// Cost of an assignment. Hard constraints come first, because values that have to be f32 are f32
/// under every policy. The 16-bit residuals are the policy's own choice.
static int64_t costOf(const PrecisionFacts &facts, Pins pins, const Assignment &assignment) {
  pins.savedLow.clear();
  for (auto &[value, type] : assignment.saved)
    pins.savedLow.insert(value);
  return StorageCost(facts, pins).evaluate([&](Value v) {
    return pins.full.contains(v) || (!pins.low.contains(v) && assignment.storageOf(v) == facts.f32);
  });
}

SmallVector<std::pair<StringRef, int64_t>> ampc::costsOf(const PrecisionFacts &facts) {
  Pins pins = findPins(facts);
  SmallVector<std::pair<StringRef, int64_t>> costs;
  for (const std::unique_ptr<PrecisionPolicy> &policy : getPolicies()) {
    if (!policy->isCompared())
      continue;
    FailureOr<Assignment> assignment =
        policy->movesFewestBytes()
            ? policy->assign(facts)
            : policy->assign(PrecisionFacts(facts.func, facts.low, policy->table(facts.low)));
    if (succeeded(assignment))
      costs.push_back({policy->getName(), costOf(facts, pins, *assignment)});
  }
  return costs;
}

int64_t ampc::costOfAnyError(const PrecisionFacts &facts) {
  Pins pins = findPins(facts);
  pins.sensitive.clear();
  pins.savedLow.clear();
  return costOf(facts, pins, assignMinCut(facts, pins));
}
