// The train.steps that a training alternates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Text.h"
#include "tools/ampc/Commands.h"
#include "tools/ampc/Observer.h"
#include "tools/ampc/TrainLoop.h"

using namespace ampc;

std::vector<ScheduleSlot> ampc::findTurns(const Session &session, llvm::StringRef names) {
  std::vector<ScheduleSlot> schedule;
  llvm::SmallVector<llvm::StringRef> words;
  names.split(words, ',');
  for (llvm::StringRef word : words) {
    auto [name, times] = word.split(':');
    ScheduleSlot slot;
    if (word.contains(':') && (times.getAsInteger(10, slot.times) || slot.times == 0)) {
      fail("expected --step with NAME:TIMES, but got " + shown(word));
      return {};
    }
    slot.program = findStep(session, name);
    if (slot.program < 0)
      return {};
    slot.name = stepNameOf(session.getModel(), slot.program);
    for (const ScheduleSlot &other : schedule)
      if (other.program == slot.program) {
        fail("expected --step with every step once, but got " + slot.name + " twice");
        return {};
      }
    schedule.push_back(std::move(slot));
  }
  return schedule;
}
