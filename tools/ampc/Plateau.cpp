// Knobs that change when validations stop to improve.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/Plateau.h"
#include "ampc/Support/Nearest.h"
#include "ampc/Support/Text.h"
#include "tools/ampc/Knobs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <cmath>

using namespace ampc;
namespace cl = llvm::cl;

Plateau::Plateau(cl::SubCommand &command)
    : factors("at-plateau",
              cl::desc("knobs to multiply when --validate finds no better score for --plateau "
                       "validations, as in rate=0.1"),
              cl::value_desc("NAME=FACTOR,..."), cl::CommaSeparated, cl::sub(command)),
      count("plateau",
            cl::desc("validations in a row without a better score before --at-plateau (default: "
                     "10)"),
            cl::value_desc("N"), cl::init(10), cl::sub(command)) {}

std::string Plateau::open(const ampc_model &model) {
  if (count.getNumOccurrences() && !isGiven())
    return "expected --at-plateau, the knobs to change, with --plateau, but got none";
  if (count == 0)
    return "expected --plateau of at least 1 validation, but got 0";
  for (llvm::StringRef each : factors) {
    auto [name, digits] = each.split('=');
    double factor;
    if (digits.trim().getAsDouble(factor) || !std::isfinite(factor) || !(factor > 0))
      return "expected --at-plateau NAME=FACTOR with a factor above 0, but got " + shown(each);
    std::vector<std::string> names = knobNames(model);
    auto slot = std::find_if(model.slots, model.slots + model.slot_count, [&](const auto &slot) {
      return slot.range && name.trim() == slot.tensor.name;
    });
    if (slot == model.slots + model.slot_count)
      return "expected --at-plateau to name a train.knob of the model, but got " +
             shown(name.trim()) + (names.empty() ? "" : "; there is " + llvm::join(names, ", "));
    changes.push_back({name.trim().str(), factor, slot->range});
  }
  return "";
}

std::string Plateau::see(bool isBetter, Session &session, std::string &error) {
  worse = isBetter ? 0 : worse + 1;
  if (changes.empty() || worse < count)
    return "";
  worse = 0;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "no better score in " << count << (count == 1 ? " validation" : " validations");
  std::vector<std::string> names = knobNames(session.getModel());
  for (const Change &change : changes) {
    double old = knobValues(session)[llvm::find(names, change.name) - names.begin()];
    double now = std::clamp(old * change.factor, change.range[0], change.range[1]);
    if (error = setKnob(session, change.name, now); !error.empty())
      return "";
    os << ", " << change.name << llvm::format(" %.6g -> %.6g", old, now);
  }
  return text;
}
