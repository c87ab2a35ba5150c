// Register count of a kernel, from the liveness of the PTX registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/Decoder.h"
#include <algorithm>

namespace ptxsim {

namespace {

using Bits = std::vector<uint64_t>;

void set(Bits &b, uint32_t k) { b[k / 64] |= uint64_t(1) << (k % 64); }
void clear(Bits &b, uint32_t k) { b[k / 64] &= ~(uint64_t(1) << (k % 64)); }
bool test(const Bits &b, uint32_t k) { return b[k / 64] >> (k % 64) & 1; }

/// Dense number and size of every named register.
struct Registers {
  std::unordered_map<uint32_t, uint32_t> numbers; ///< by slot index
  std::vector<uint8_t> words;
};

class Liveness {
public:
  Liveness(const Kernel &kernel, const Registers &registers)
      : kernel(kernel), registers(registers), live((registers.words.size() + 63) / 64) {}

  /// Steps backwards over an instruction; returns the registers live before.
  uint32_t step(size_t pc) {
    const Inst &i = kernel.code[pc];
    const uint32_t *list = kernel.useDef.data() + i.uses;
    bool partial = i.guard != kernel.trueSlot || i.op == Opcode::WgmmaMma;
    for (unsigned k = i.useCount; k < unsigned(i.useCount + i.defCount); k++)
      change(list[k], partial);
    for (unsigned k = 0; k < i.useCount; k++)
      change(list[k], true);
    return count;
  }
  void start(const Bits &at) {
    live = at;
    count = 0;
    for (uint32_t k = 0; k < registers.words.size(); k++)
      count += test(live, k) ? registers.words[k] : 0;
  }
  const Bits &now() const { return live; }

private:
  void change(uint32_t slot, bool alive) {
    auto found = registers.numbers.find(slot);
    if (found == registers.numbers.end() || test(live, found->second) == alive)
      return;
    uint32_t k = found->second;
    alive ? set(live, k) : clear(live, k);
    count += alive ? registers.words[k] : uint32_t(-int32_t(registers.words[k]));
  }
  const Kernel &kernel;
  const Registers &registers;
  Bits live;
  uint32_t count = 0;
};

bool join(Bits &into, const Bits &from) {
  bool changed = false;
  for (size_t k = 0; k < into.size(); k++) {
    changed |= (from[k] & ~into[k]) != 0;
    into[k] |= from[k];
  }
  return changed;
}

} // namespace

uint32_t countRegisters(const Kernel &kernel, const std::unordered_map<uint32_t, uint8_t> &words) {
  Registers registers;
  for (const auto &entry : words) // predicates are another register file
    if (entry.second) {
      registers.numbers[entry.first] = uint32_t(registers.words.size());
      registers.words.push_back(entry.second);
    }
  size_t n = kernel.code.size(), size = (registers.words.size() + 63) / 64;
  // Liveness at jump targets; all other sets follow from these by stepping.
  std::unordered_map<int32_t, Bits> atTarget;
  auto eachTarget = [&](size_t pc, auto &&f) {
    const Inst &i = kernel.code[pc];
    if (i.op == Opcode::Branch)
      f(i.target);
    if (i.op == Opcode::BranchTable)
      for (int32_t t : kernel.branchTables[i.list])
        f(t);
  };
  for (size_t pc = 0; pc < n; pc++)
    eachTarget(pc, [&](int32_t t) { atTarget.emplace(t, Bits(size, 0)); });
  Liveness liveness(kernel, registers);
  uint32_t most = 0;
  for (bool changed = true; changed;) {
    changed = false;
    liveness.start(Bits(size, 0));
    for (size_t pc = n; pc-- > 0;) {
      const Inst &i = kernel.code[pc];
      bool jumps = i.op == Opcode::Branch || i.op == Opcode::BranchTable || i.op == Opcode::Exit;
      if (jumps) {
        Bits out = i.guard != kernel.trueSlot ? liveness.now() : Bits(size, 0);
        eachTarget(pc, [&](int32_t t) { join(out, atTarget[t]); });
        liveness.start(out);
      }
      most = std::max(most, liveness.step(pc));
      auto target = atTarget.find(int32_t(pc));
      if (target != atTarget.end())
        changed |= join(target->second, liveness.now());
    }
  }
  return most;
}

} // namespace ptxsim
