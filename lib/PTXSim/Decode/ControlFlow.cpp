// Immediate post-dominators of all branches: the points where diverged lanes reconverge.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/PTXSim/Decode/Decoder.h"
#include <algorithm>

namespace ptxsim {

namespace {

/// Control-flow graph on basic blocks with a single virtual exit, index `exit`.
struct Graph {
  std::vector<int> start, blockOf;
  std::vector<std::vector<int>> successors, predecessors;
  int exit = 0;
};

std::vector<int32_t> targetsOf(const Kernel &kernel, size_t pc) {
  const Inst &inst = kernel.code[pc];
  std::vector<int32_t> result;
  bool guarded = inst.guard != kernel.trueSlot;
  if (inst.op == Opcode::Branch)
    result.push_back(inst.target);
  else if (inst.op == Opcode::BranchTable)
    result = kernel.branchTables[inst.list];
  else if (inst.op == Opcode::Exit)
    result.push_back(-1);
  else
    guarded = true;
  if (guarded)
    result.push_back(int32_t(pc) + 1);
  return result;
}

bool endsBlock(const Inst &inst) {
  return inst.op == Opcode::Branch || inst.op == Opcode::BranchTable || inst.op == Opcode::Exit;
}

Graph buildGraph(const Kernel &kernel) {
  size_t n = kernel.code.size();
  Graph g;
  std::vector<bool> leader(n + 1, false);
  leader[0] = true;
  for (size_t pc = 0; pc < n; pc++) {
    if (!endsBlock(kernel.code[pc]))
      continue;
    leader[pc + 1] = true;
    for (int32_t t : targetsOf(kernel, pc))
      if (t >= 0)
        leader[size_t(t)] = true;
  }
  g.blockOf.resize(n);
  for (size_t pc = 0; pc < n; pc++) {
    if (leader[pc])
      g.start.push_back(int(pc));
    g.blockOf[pc] = int(g.start.size()) - 1;
  }
  g.exit = int(g.start.size());
  g.successors.resize(size_t(g.exit) + 1);
  g.predecessors.resize(size_t(g.exit) + 1);
  for (int b = 0; b < g.exit; b++) {
    size_t last = (b + 1 < g.exit ? size_t(g.start[size_t(b) + 1]) : n) - 1;
    for (int32_t t : targetsOf(kernel, last)) {
      int to = t < 0 || size_t(t) >= n ? g.exit : g.blockOf[size_t(t)];
      g.successors[size_t(b)].push_back(to);
      g.predecessors[size_t(to)].push_back(b);
    }
  }
  return g;
}

/// Reverse post-order numbers on the reversed graph; -1 for blocks that never reach the exit.
std::vector<int> postOrder(const Graph &g, std::vector<int> &order) {
  std::vector<int> number(g.successors.size(), -1);
  std::vector<bool> seen(g.successors.size(), false);
  std::vector<std::pair<int, size_t>> stack{{g.exit, 0}};
  seen[size_t(g.exit)] = true;
  while (!stack.empty()) {
    int block = stack.back().first;
    const auto &preds = g.predecessors[size_t(block)];
    if (stack.back().second < preds.size()) {
      int next = preds[stack.back().second++];
      if (!seen[size_t(next)]) {
        seen[size_t(next)] = true;
        stack.push_back({next, 0});
      }
    } else {
      number[size_t(block)] = int(order.size());
      order.push_back(block);
      stack.pop_back();
    }
  }
  return number;
}

} // namespace

/// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm", on the reversed graph.
void computeReconvergence(Kernel &kernel) {
  Graph g = buildGraph(kernel);
  std::vector<int> order;
  std::vector<int> number = postOrder(g, order);
  std::vector<int> ipdom(g.successors.size(), -1);
  ipdom[size_t(g.exit)] = g.exit;
  auto intersect = [&](int a, int b) {
    while (a != b) {
      while (number[size_t(a)] < number[size_t(b)])
        a = ipdom[size_t(a)];
      while (number[size_t(b)] < number[size_t(a)])
        b = ipdom[size_t(b)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (*it == g.exit)
        continue;
      int best = -1;
      for (int s : g.successors[size_t(*it)])
        if (number[size_t(s)] >= 0 && ipdom[size_t(s)] >= 0)
          best = best < 0 ? s : intersect(s, best);
      if (best != ipdom[size_t(*it)]) {
        ipdom[size_t(*it)] = best;
        changed = true;
      }
    }
  }
  for (size_t pc = 0; pc < kernel.code.size(); pc++) {
    if (!endsBlock(kernel.code[pc]))
      continue;
    int d = ipdom[size_t(g.blockOf[pc])];
    kernel.code[pc].reconverge = d < 0 || d == g.exit ? -1 : g.start[size_t(d)];
  }
}

} // namespace ptxsim
