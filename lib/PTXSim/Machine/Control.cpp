// Branches, the divergence stack, and source locations in fault messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Machine/Control.h"
#include "lib/PTXSim/Machine/Access.h"
#include <cstdio>
#include <cstring>

namespace ptxsim {

std::string hex(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string describeLine(const Kernel &kernel, uint32_t pc) {
  const CodeInfo &info = kernel.codeInfo[pc];
  std::string result = kernel.module->fileName + ":" + std::to_string(info.loc.line);
  if (info.source.line) {
    auto file = kernel.module->sourceFiles.find(info.source.file);
    result += " (" + (file != kernel.module->sourceFiles.end() ? file->second : "source") + ":" +
              std::to_string(info.source.line) + ")";
  }
  return result;
}

static std::string describeWarp(const Warp &w) {
  const Block &b = *w.block;
  return "block (" + std::to_string(b.id.x) + "," + std::to_string(b.id.y) + "," +
         std::to_string(b.id.z) + ") warp " + std::to_string(w.id);
}

void fault(Warp &w, ErrorKind kind, const std::string &message, uint32_t lanes) {
  const Kernel &kernel = kernelOf(w);
  uint32_t pc = w.current ? pcOf(w) : 0;
  const CodeInfo &info = kernel.codeInfo[pc];
  char mask[24];
  std::snprintf(mask, sizeof mask, "0x%08x", lanes);
  std::string text = describeLine(kernel, pc) + ": " + message + "\n  in kernel " +
                     kernel.info.name + ", " + describeWarp(w) + ", lanes " + mask + ": " +
                     std::string(info.spelling);
  throw Error(kind, text, info.loc.line, info.loc.column);
}

void markUndefined(Warp &w, uint32_t slot, uint32_t lanes) {
  if (!w.defined)
    return;
  uint32_t index = slotIndex(slot);
  w.defined[index] &= ~lanes;
  w.origin[index] = pcOf(w) + 1;
}

void reportUndefined(Warp &w, uint32_t index, uint32_t lanes) {
  const Kernel &kernel = kernelOf(w);
  auto name = kernel.slotNames.find(index);
  std::string reg = name == kernel.slotNames.end() ? "operand" : "register " + name->second;
  std::string message = "use of uninitialized " + reg;
  if (uint32_t origin = w.origin[index])
    message = "use of " + reg + ", which was computed from an uninitialized value, at " +
              describeLine(kernel, origin - 1) + ": " +
              std::string(kernel.codeInfo[origin - 1].spelling);
  fault(w, ErrorKind::Register, message, lanes);
}

// --- Divergence -------------------------------------------------------------------------------

void popPath(Warp &w) {
  while (!w.stack.empty() && (w.active == 0 || w.pc == w.reconverge)) {
    StackEntry e = w.stack.back();
    w.stack.pop_back();
    w.pc = e.pc;
    w.reconverge = e.reconverge;
    w.active = e.mask & w.alive;
  }
}

namespace {

void branch(Warp &w, const Inst &i) {
  uint32_t taken = w.exec, rest = w.active & ~taken;
  if (!taken)
    return;
  if (!rest) {
    w.pc = i.target;
    return;
  }
  w.block->cluster->worker->statistics.divergentBranches++;
  w.stack.push_back({i.reconverge, w.reconverge, w.active});
  if (w.pc != i.reconverge)
    w.stack.push_back({w.pc, i.reconverge, rest});
  w.pc = i.target;
  w.reconverge = i.reconverge;
  w.active = taken;
}

void branchTable(Warp &w, const Inst &i) {
  const auto &table = kernelOf(w).branchTables[i.list];
  const uint32_t *index = w.reg<uint32_t>(i.a);
  std::vector<std::pair<int32_t, uint32_t>> groups; // target, lanes
  auto add = [&](int32_t target, uint32_t lanes) {
    for (auto &g : groups)
      if (g.first == target) {
        g.second |= lanes;
        return;
      }
    groups.push_back({target, lanes});
  };
  for (unsigned l = 0; l < 32; l++) {
    if (!(w.exec >> l & 1))
      continue;
    if (index[l] >= table.size())
      fault(w, ErrorKind::Memory,
            "brx.idx with index " + std::to_string(index[l]) + " in a table of " +
                std::to_string(table.size()),
            1u << l);
    add(table[index[l]], 1u << l);
  }
  if (uint32_t rest = w.active & ~w.exec)
    add(w.pc, rest);
  if (groups.size() == 1) {
    w.pc = groups[0].first;
    return;
  }
  w.block->cluster->worker->statistics.divergentBranches++;
  w.stack.push_back({i.reconverge, w.reconverge, w.active});
  w.pc = w.reconverge = i.reconverge;
  for (const auto &g : groups)
    if (g.first != i.reconverge)
      w.stack.push_back({g.first, i.reconverge, g.second});
  // popPath runs after every control instruction and continues with the first group.
}

void exitLanes(Warp &w, const Inst &) {
  w.alive &= ~w.exec;
  w.active &= ~w.exec;
  if (w.active == 0)
    popPath(w);
  if (w.alive == 0) {
    w.state = WarpState::Done;
    w.yield = true;
  }
}

void nop(Warp &, const Inst &) {}

/// ISA, "discard": destroys 128 bytes without writing them back.
void discard(Warp &w, const Inst &i) {
  constexpr unsigned size = 128;
  for (uint32_t m = w.exec; m; m &= m - 1) {
    unsigned l = firstLane(m);
    Target t = resolveGlobal(w, laneAddress(w, i, l), size, AccessKind::Write, l);
    requireOpen(w, t.shadow, size, l, laneAddress(w, i, l));
    if (t.shadow)
      std::memset(t.shadow, Shadow::Undefined, size);
  }
}

void trap(Warp &w, const Inst &) { fault(w, ErrorKind::Trap, "trap"); }

} // namespace

Handler selectControl(const Inst &i) {
  switch (i.op) {
  case Opcode::Branch:
    return branch;
  case Opcode::BranchTable:
    return branchTable;
  case Opcode::Exit:
    return exitLanes;
  case Opcode::Nop:
    return nop;
  case Opcode::Prefetch:
    return i.aux ? discard : nop;
  case Opcode::Trap:
    return trap;
  case Opcode::Printf:
    return executePrintf;
  default:
    return nullptr;
  }
}

} // namespace ptxsim
