// Detection of trainings that continue without learning.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Standstill.h"
#include "ampc/Support/GradientNames.h"
#include "tools/ampc/Observer.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace ampc;

/// Half of the smallest f16 number: smaller numbers round to 0.
static constexpr double flushedInF16 = 0x1p-25;
/// At this loss scale gradients below 3.1e-5 round to 0.
static constexpr double smallScale = 0x1p-10;

Standstill::Standstill(Session &session, int number, unsigned limit)
    : session(session), program(session.getModel().programs[number]), limit(limit) {
  const ampc_model &model = session.getModel();
  // The state contains the gradient of every parameter of the step.
  std::string step = stepNameOf(model, number);
  for (int i = 0; i < model.slot_count; ++i) {
    auto gradient = GradientName::of(model.slots[i].tensor.name);
    if (!gradient || gradient->step != step)
      continue;
    if (int slot = session.findSlot(gradient->param); slot >= 0)
      parameters.push_back({slot});
  }
  for (Parameter &parameter : parameters)
    parameter.hash = hashOf(parameter.slot);
}

uint64_t Standstill::hashOf(int slot) {
  const ampc_model &model = session.getModel();
  size_t size = size_t(model.slots[slot].tensor.bytes);
  if (!model.device) // in place: any order of the elements shows a change
    return llvm::xxh3_64bits(
        {static_cast<const uint8_t *>(ampc_rt_tensor_data(session.getState(), slot)), size});
  std::vector<uint8_t> bytes(size);
  if (ampc_rt_get(session.getState(), slot, bytes.data(), bytes.size()) != AMPC_OK)
    return 0;
  return llvm::xxh3_64bits(bytes);
}

/// Names of parameters without a changed byte since the last call.
std::string Standstill::findUnchanged() {
  std::vector<std::string> names;
  for (Parameter &parameter : parameters) {
    uint64_t now = hashOf(parameter.slot);
    if (now == parameter.hash)
      names.push_back(session.getModel().slots[parameter.slot].tensor.name);
    parameter.hash = now;
  }
  if (names.empty())
    return "";
  llvm::erase_if(parameters, [&](const Parameter &parameter) { // reports a name once
    return llvm::is_contained(names, session.getModel().slots[parameter.slot].tensor.name);
  });
  size_t shown = std::min<size_t>(names.size(), 3);
  std::string text = llvm::join(llvm::ArrayRef(names).take_front(shown), ", ");
  if (names.size() > shown)
    text += " and " + std::to_string(names.size() - shown) + " more";
  return llvm::formatv("no bit of {0} has changed in {1} updates: the gradients are 0, or the "
                       "updates are less than half a unit in the last place of the parameter's "
                       "type; ampc profile shows the cause",
                       text, lastSteps);
}

std::string Standstill::whySkipped(const ampc_train_out &out) const {
  std::string text =
      llvm::formatv("{0} steps in a row were skipped, since gradients are infinite or "
                    "NaN: nothing is learned",
                    out.skipped_in_row);
  if (program.scale_slot >= 0)
    text += llvm::formatv(" (loss scale {0:e2})", out.loss_scale);
  return text;
}

std::string Standstill::note(const ampc_train_out &out) {
  skips = out.skipped_in_row;
  if (out.skipped)
    return limit && skips == limit ? whySkipped(out) : "";
  std::string unchanged = ++updates % lastSteps == 0 ? findUnchanged() : "";
  if (program.scale_slot < 0 || out.loss_scale >= smallScale || isFlushed)
    return unchanged;
  isFlushed = true;
  return llvm::formatv("the loss scale is {0:e2}, and gradients below {1:e2} are 0 in f16 with "
                       "this scale: the model learns little or nothing",
                       out.loss_scale, flushedInF16 / out.loss_scale);
}

std::string Standstill::failure() const {
  if (skips < lastSteps)
    return "";
  return llvm::formatv("the last {0} steps were all skipped, since gradients are infinite or NaN",
                       skips);
}
