// Layered drawing of directed graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Report/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>

using namespace ampc::report;

std::vector<int> ampc::report::longestPathLayers(size_t nodes, llvm::ArrayRef<Edge> edges) {
  std::vector<std::vector<int>> after(nodes);
  std::vector<int> layers(nodes, 0), waiting(nodes, 0);
  for (auto [from, to] : edges) {
    after[from].push_back(to);
    ++waiting[to];
  }
  std::set<int> ready, rest;
  for (int node = 0; node < int(nodes); ++node) {
    rest.insert(node);
    if (!waiting[node])
      ready.insert(node);
  }
  while (!rest.empty()) { // a cycle is cut before the node of the lowest number
    int node = *(ready.empty() ? rest : ready).begin();
    ready.erase(node);
    rest.erase(node);
    for (int to : after[node]) {
      if (!rest.count(to))
        continue;
      layers[to] = std::max(layers[to], layers[node] + 1);
      if (--waiting[to] == 0)
        ready.insert(to);
    }
  }
  return layers;
}

namespace {
class Placement {
public:
  Placement(const LayeredGraph &graph, double gap);
  std::vector<double> run();

private:
  void pack(llvm::ArrayRef<int> layer);
  /// Sorts the layer by the barycentres of neighbours on the given side.
  void sortByNeighbours(std::vector<int> &layer, llvm::ArrayRef<std::vector<int>> neighbours);
  void pullToNeighbours(llvm::ArrayRef<int> layer);
  double wanted(int node, llvm::ArrayRef<std::vector<int>> neighbours) const;
  double distance(int left, int right) const {
    return (graph.extents[left] + graph.extents[right]) / 2 + gap;
  }

  const LayeredGraph &graph;
  double gap;
  std::vector<std::vector<int>> layers, before, after, all;
  std::vector<double> centres;
};
} // namespace

Placement::Placement(const LayeredGraph &graph, double gap)
    : graph(graph), gap(gap), before(graph.layers.size()), after(graph.layers.size()),
      all(graph.layers.size()), centres(graph.layers.size(), 0) {
  for (auto [node, layer] : llvm::enumerate(graph.layers)) {
    if (layers.size() <= size_t(layer))
      layers.resize(layer + 1);
    layers[layer].push_back(node);
  }
  for (auto [a, b] : graph.edges) {
    if (graph.layers[a] == graph.layers[b])
      continue;
    auto [from, to] = graph.layers[a] < graph.layers[b] ? Edge(a, b) : Edge(b, a);
    after[from].push_back(to);
    before[to].push_back(from);
    all[from].push_back(to);
    all[to].push_back(from);
  }
}

/// Places nodes side by side, with the middle of the layer at 0.
void Placement::pack(llvm::ArrayRef<int> layer) {
  double total = -gap;
  for (int node : layer)
    total += graph.extents[node] + gap;
  double at = -total / 2;
  for (int node : layer) {
    centres[node] = at + graph.extents[node] / 2;
    at += graph.extents[node] + gap;
  }
}

/// Mean of the neighbours' centres; a node without neighbours stays in place.
double Placement::wanted(int node, llvm::ArrayRef<std::vector<int>> neighbours) const {
  if (neighbours[node].empty())
    return centres[node];
  double sum = 0;
  for (int other : neighbours[node])
    sum += centres[other];
  return sum / neighbours[node].size();
}

void Placement::sortByNeighbours(std::vector<int> &layer,
                                 llvm::ArrayRef<std::vector<int>> neighbours) {
  std::vector<std::tuple<double, size_t, int>> keyed; // stable: equal keys keep their order
  for (auto [i, node] : llvm::enumerate(layer))
    keyed.push_back({wanted(node, neighbours), i, node});
  llvm::sort(keyed);
  for (auto [place, key] : llvm::zip(layer, keyed))
    place = std::get<2>(key);
  pack(layer);
}

/// Minimizes squared distances under order and gaps: pool adjacent violators.
void Placement::pullToNeighbours(llvm::ArrayRef<int> layer) {
  struct Pool {
    double sum;
    int count;
    double mean() const { return sum / count; }
  };
  std::vector<Pool> pools;
  std::vector<double> offsets;
  for (auto [i, node] : llvm::enumerate(layer)) {
    offsets.push_back(i == 0 ? 0 : offsets.back() + distance(layer[i - 1], node));
    pools.push_back({wanted(node, all) - offsets.back(), 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
      Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  size_t i = 0;
  for (const Pool &pool : pools)
    for (int k = 0; k < pool.count; ++k, ++i)
      centres[layer[i]] = pool.mean() + offsets[i];
}

std::vector<double> Placement::run() {
  for (auto &layer : layers)
    pack(layer);
  for (int sweep = 0; sweep < 6; ++sweep) {
    for (auto &layer : layers)
      sortByNeighbours(layer, before);
    for (auto &layer : llvm::reverse(layers))
      sortByNeighbours(layer, after);
  }
  for (int sweep = 0; sweep < 8; ++sweep) {
    for (auto &layer : layers)
      pullToNeighbours(layer);
    for (auto &layer : llvm::reverse(layers))
      pullToNeighbours(layer);
  }
  double first = 0;
  for (auto [node, centre] : llvm::enumerate(centres))
    first = std::min(first, centre - graph.extents[node] / 2);
  for (double &centre : centres)
    centre -= first;
  return centres;
}

std::vector<double> ampc::report::placeInLayers(const LayeredGraph &graph, double gap) {
  return Placement(graph, gap).run();
}

int64_t ampc::report::countCrossings(const LayeredGraph &graph, llvm::ArrayRef<double> centres) {
  int64_t crossings = 0;
  for (auto [i, a] : llvm::enumerate(graph.edges))
    for (const Edge &b : llvm::ArrayRef(graph.edges).drop_front(i + 1))
      if (graph.layers[a.first] == graph.layers[b.first] &&
          graph.layers[a.second] == graph.layers[b.second])
        crossings +=
            (centres[a.first] - centres[b.first]) * (centres[a.second] - centres[b.second]) < 0;
  return crossings;
}
