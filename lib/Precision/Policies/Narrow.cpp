// Policy `narrow`, pure f16 as Apex's O3: 16 bits for every tensor that a user sees.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Policies/MinCut.h"
#include "lib/Precision/Policies/Policies.h"

using namespace mlir;
using namespace ampc;

namespace {
struct Narrow : PrecisionPolicy {
  Narrow()
      : PrecisionPolicy("narrow", "every tensor is stored in 16 bits; counts, statistics and other "
                                  "numbers inside an op stay f32") {}
  PolicyTable table(Type) const override {
    return PolicyTable::ofLists({}, /*others=*/Treatment::Narrow);
  }
  // The table leaves the cut a choice only inside regions and where the user fixes types.
  FailureOr<Assignment> assign(const PrecisionAnalysis &facts) const override {
    return assignMinCut(facts, findHardConstraints(facts));
  }
  bool keepsValuesFull() const override { return true; }
  bool isCompared() const override { return false; }
};
} // namespace

std::unique_ptr<PrecisionPolicy> ampc::createNarrowPolicy() { return std::make_unique<Narrow>(); }
