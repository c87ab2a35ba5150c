// Maximum flow, and the minimum cut that it gives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICIES_FLOWGRAPH_H
#define LIB_PRECISION_POLICIES_FLOWGRAPH_H

#include <algorithm>
#include <cstdint>
#include <deque>
#include <tuple>
#include <vector>

namespace ampc {
/// Dinic's algorithm on a graph with capacities.
class FlowGraph {
public:
  /// The capacity of an edge that no cut goes through.
  static constexpr int64_t never = int64_t(1) << 60;
  enum { full = 0, low = 1 }; ///< source and sink
  FlowGraph() { first.assign(2, -1); }
  int addNode() {
    first.push_back(-1);
    return first.size() - 1;
  }
  /// Costs `capacity` if `from` ends on the side of f32 and `to` on that of 16 bits.
  void addEdge(int from, int to, int64_t capacity) {
    for (auto [a, b, c] : {std::tuple(from, to, capacity), std::tuple(to, from, int64_t(0))}) {
      edges.push_back({b, first[a], c});
      first[a] = edges.size() - 1;
    }
  }
  void solve() {
    while (layer())
      for (current = first; push(full, never);)
        ;
  }
  /// After solve: the smallest side of f32.
  bool isFull(int node) const { return level[node] >= 0; }

private:
  struct Edge {
    int to, next;
    int64_t capacity;
  };
  bool layer() {
    level.assign(first.size(), -1);
    level[full] = 0;
    std::deque<int> open{full};
    while (!open.empty()) {
      int node = open.front();
      open.pop_front();
      for (int e = first[node]; e >= 0; e = edges[e].next)
        if (edges[e].capacity > 0 && level[edges[e].to] < 0) {
          level[edges[e].to] = level[node] + 1;
          open.push_back(edges[e].to);
        }
    }
    return level[low] >= 0;
  }
  int64_t push(int node, int64_t amount) {
    if (node == low)
      return amount;
    for (int &e = current[node]; e >= 0; e = edges[e].next) {
      if (edges[e].capacity <= 0 || level[edges[e].to] != level[node] + 1)
        continue;
      if (int64_t pushed = push(edges[e].to, std::min(amount, edges[e].capacity))) {
        edges[e].capacity -= pushed;
        edges[e ^ 1].capacity += pushed;
        return pushed;
      }
    }
    return 0;
  }
  std::vector<Edge> edges;
  std::vector<int> first, current, level;
};
} // namespace ampc
#endif
