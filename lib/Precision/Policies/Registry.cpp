// Registry of policies; the only file that names the built-in policies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/Policy.h"
#include "ampc/Support/Text.h"
#include "lib/Precision/Policies/Policies.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace ampc;

PrecisionPolicy::~PrecisionPolicy() = default;

static std::vector<std::unique_ptr<PrecisionPolicy>> &registry() {
  static std::vector<std::unique_ptr<PrecisionPolicy>> all = [] {
    std::vector<std::unique_ptr<PrecisionPolicy>> builtin;
    for (auto create : {createMinCutPolicy, createAutocastPolicy, createAutocastCPUPolicy,
                        createPropagatePolicy, createNarrowPolicy})
      builtin.push_back(create());
    return builtin;
  }();
  return all;
}

llvm::ArrayRef<std::unique_ptr<PrecisionPolicy>> ampc::getPolicies() { return registry(); }

const PrecisionPolicy *ampc::findPolicy(llvm::StringRef name) {
  for (const std::unique_ptr<PrecisionPolicy> &policy : registry())
    if (policy->getName() == name)
      return policy.get();
  return nullptr;
}

void ampc::registerPolicy(std::unique_ptr<PrecisionPolicy> policy) {
  if (findPolicy(policy->getName()))
    llvm::report_fatal_error("expected a policy with a new name, but got a second " +
                             policy->getName());
  registry().push_back(std::move(policy));
}

std::string ampc::policyNames() {
  return joinWords(
      llvm::map_to_vector(registry(), [](const std::unique_ptr<PrecisionPolicy> &policy) {
        return policy->getName().str();
      }));
}
