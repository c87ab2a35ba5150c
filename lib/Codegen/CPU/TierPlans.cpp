// Plans of a kernel per tier of the CPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/TierPlans.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

static StringRef tierOf(Attribute plan) {
  if (auto product = dyn_cast<kernel::BlockingAttr>(plan))
    return product.getTier();
  return cast<kernel::FilterBlockingAttr>(plan).getTier();
}

SmallVector<Attribute> ampc::cpu::plansOf(ArrayAttr plans, const Tier &tier) {
  SmallVector<Attribute> own;
  if (plans)
    for (Attribute plan : plans)
      if (tierOf(plan) == tier.name)
        own.push_back(plan);
  return own;
}

FailureOr<ArrayAttr> ampc::cpu::configureTiers(
    Operation *op, const CPUKernelLowering &code, ArrayAttr given,
    llvm::function_ref<FailureOr<SmallVector<Attribute>>(const Tier &tier)> plansFor) {
  SmallVector<Attribute> plans;
  size_t used = 0;
  for (const Tier &tier : tiers()) {
    if (!code.hasOwnCode(op, tier))
      continue;
    FailureOr<SmallVector<Attribute>> own = plansFor(tier);
    if (failed(own))
      return failure();
    used += plansOf(given, tier).size();
    llvm::append_range(plans, *own);
  }
  if (given && used != given.size())
    return op->emitOpError() << "expected blockings of tiers with code of their own, but got "
                             << given;
  return ArrayAttr::get(op->getContext(), plans);
}
