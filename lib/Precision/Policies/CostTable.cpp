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
static int64_t costOf(const PrecisionAnalysis &facts, HardConstraints hardConstraints,
                      const Assignment &assignment) {
  hardConstraints.savedLow.clear();
  for (auto &[value, type] : assignment.saved)
    hardConstraints.savedLow.insert(value);
  return StorageCost(facts, hardConstraints).evaluate([&](Value v) {
    return hardConstraints.full.contains(v) ||
           (!hardConstraints.low.contains(v) && assignment.storageOf(v) == facts.f32);
  });
}

SmallVector<std::pair<StringRef, int64_t>> ampc::costsOf(const PrecisionAnalysis &facts) {
  HardConstraints hardConstraints = findHardConstraints(facts);
  SmallVector<std::pair<StringRef, int64_t>> costs;
  for (const std::unique_ptr<PrecisionPolicy> &policy : getPolicies()) {
    if (!policy->isCompared())
      continue;
    FailureOr<Assignment> assignment =
        policy->movesFewestBytes()
            ? policy->assign(facts)
            : policy->assign(PrecisionAnalysis(facts.func, facts.low, policy->table(facts.low)));
    if (succeeded(assignment))
      costs.push_back({policy->getName(), costOf(facts, hardConstraints, *assignment)});
  }
  return costs;
}

int64_t ampc::costOfAnyError(const PrecisionAnalysis &facts) {
  HardConstraints hardConstraints = findHardConstraints(facts);
  hardConstraints.sensitive.clear();
  hardConstraints.savedLow.clear();
  return costOf(facts, hardConstraints, assignMinCut(facts, hardConstraints));
}
