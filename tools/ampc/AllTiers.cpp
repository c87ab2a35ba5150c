// A model with code for all tiers of all targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/AllTiers.h"
#include "ampc/Codegen/Targets.h"

using namespace ampc;

static constexpr size_t errorBytes = 512; // buffer size that ampc_rt_choose expects

/// Order of preference: instruction sets, GPUs, plain loops of the target `reference`.
AllTiers::AllTiers() {
  size_t last = 0;
  models[0].name = "doctor";
  for (const TargetTier &tier : allTargets().front()->getTiers())
    models[0].tiers |= 1u << tier.isa;
  auto add = [&](int32_t tier) {
    ampc_model &model = models[++last];
    models[last - 1].next = &model;
    model.name = "doctor";
    model.tiers = 1u << tier;
    model.first_tier = tier;
    if (int32_t capability = ampc_rt_tier_capability(tier)) {
      images[last] = {AMPC_IMAGE_PTX, capability, nullptr, 0};
      model.device = &ampc_rt_cuda;
      model.images = &images[last];
      model.image_count = 1;
    }
  };
  for (int32_t tier = 0; tier < AMPC_TIERS; ++tier)
    if (ampc_rt_tier_capability(tier))
      add(tier);
  add(AMPC_TIER_REFERENCE);
}

std::optional<int32_t> AllTiers::choose(const char *device, std::string &problem) const {
  char error[errorBytes] = "";
  ampc_rt_choice choice;
  if (ampc_rt_choose(&models.front(), device, &choice, error) == AMPC_OK)
    return choice.tier;
  problem = error;
  return std::nullopt;
}

bool AllTiers::runs(int32_t tier) {
  ampc_model model{};
  model.name = "doctor";
  model.tiers = 1u << tier;
  ampc_rt_choice choice;
  return ampc_rt_choose(&model, "cpu", &choice, nullptr) == AMPC_OK;
}

std::string AllTiers::nameOf(int32_t wanted) {
  for (const Target *target : allTargets())
    for (const TargetTier &tier : target->getTiers())
      if (tier.isa == wanted)
        return tier.name.str();
  return "";
}
