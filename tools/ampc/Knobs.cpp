// Knobs of a compiled model: values, and the option that sets them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Knobs.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Text.h"
#include "tools/ampc/Commands.h"
#include "llvm/ADT/StringExtras.h"

using namespace ampc;
namespace cl = llvm::cl;

static bool isKnob(const ampc_slot &slot) { return slot.range; }

static llvm::ArrayRef<ampc_slot> slotsOf(const ampc_model &model) {
  return {model.slots, size_t(model.slot_count)};
}

std::vector<std::string> ampc::knobNames(const ampc_model &model) {
  std::vector<std::string> names;
  for (const ampc_slot &slot : llvm::make_filter_range(slotsOf(model), isKnob))
    names.push_back(slot.tensor.name);
  return names;
}

std::vector<double> ampc::knobValues(Session &session) {
  std::vector<double> values;
  for (auto [number, slot] : llvm::enumerate(slotsOf(session.getModel()))) {
    if (!isKnob(slot))
      continue;
    double wide = 0;
    float narrow = 0;
    bool isWide = slot.tensor.dtype == AMPC_F64;
    ampc_rt_get(session.getState(), number, isWide ? static_cast<void *>(&wide) : &narrow,
                slot.tensor.bytes);
    values.push_back(isWide ? wide : narrow);
  }
  return values;
}

KnobOption::KnobOption(cl::SubCommand &command)
    : given("knob", cl::desc("numbers of the model's train.knobs, also for a checkpoint"),
            cl::value_desc("NAME=NUMBER,..."), cl::CommaSeparated, cl::sub(command)) {}

std::string ampc::setKnob(Session &session, llvm::StringRef name, double value) {
  int number = session.findSlot(name);
  float narrow = float(value);
  const ampc_tensor &tensor = session.getModel().slots[number].tensor;
  const void *data = tensor.dtype == AMPC_F64 ? static_cast<const void *>(&value) : &narrow;
  if (ampc_rt_set(session.getState(), number, data, tensor.bytes) == AMPC_OK)
    return "";
  llvm::StringRef message = session.lastError();
  message.consume_front("set: ");
  return message.str();
}

bool KnobOption::apply(Session &session) const {
  std::vector<std::string> names = knobNames(session.getModel());
  for (llvm::StringRef each : given) {
    auto [name, digits] = each.split('=');
    double value;
    if (digits.trim().empty() || digits.trim().getAsDouble(value))
      return fail("expected --knob NAME=NUMBER, but got " + shown(each)), false;
    if (!llvm::is_contained(names, name.trim()))
      return fail("expected --knob to name a train.knob of the model, but got " +
                  shown(name.trim()) +
                  (names.empty() ? "" : "; there is " + llvm::join(names, ", "))),
             false;
    if (std::string error = setKnob(session, name.trim(), value); !error.empty())
      return fail("--knob: " + error), false;
  }
  return true;
}
