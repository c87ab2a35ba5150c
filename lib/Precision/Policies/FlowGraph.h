// Maximum flow and minimum cut.
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
  /// Capacity of an edge that no cut crosses.
  static constexpr int64_t never = int64_t(1) << 60;
  enum { full = 0, low = 1 }; ///< source and sink of the network
  FlowGraph() { first.assign(2, -1); }
  int addNode() {
    first.push_back(-1);
    return first.size() - 1;
  }
  /// Adds an edge that costs `capacity` if `from` ends on the f32 side of the cut and `to` on the
  /// 16-bit side.
  void addEdge(int from, int to, int64_t capacity) {
    for (auto [a, b, c] : {std::tuple(from, to, capacity), std::tuple(to, from, int64_t(0))}) {
      edges.push_back({b, first[a], c});
      first[a] = edges.size() - 1;
    }
  }
  void solve() {
    while (layer())
      for (current = first; augment();)
        ;
  }
  /// Whether the node is on the f32 side after solve(); the smallest such side.
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
  /// Augments along one path from source to sink with an edge per layer; false if no path is left.
  /// There are as many layers as a chain of ops is long, so the path is an explicit stack rather
  /// than recursion.
  bool augment() {
    std::vector<int> path;
    for (int node = full; node != low;) {
      int &e = current[node];
      while (e >= 0 && (edges[e].capacity <= 0 || level[edges[e].to] != level[node] + 1))
        e = edges[e].next;
      if (e >= 0) {
        path.push_back(e);
        node = edges[e].to;
        continue;
      }
      if (path.empty())
        return false;
      int last = path.back(); // dead end
      path.pop_back();
      node = edges[last ^ 1].to;
      current[node] = edges[last].next;
    }
    int64_t pushed = never;
    for (int e : path)
      pushed = std::min(pushed, edges[e].capacity);
    for (int e : path) {
      edges[e].capacity -= pushed;
      edges[e ^ 1].capacity += pushed;
    }
    return pushed > 0;
  }
  std::vector<Edge> edges;
  std::vector<int> first, current, level;
};
} // namespace ampc
#endif
