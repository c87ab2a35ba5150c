// Layered drawing of directed graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_REPORT_LAYOUT_H
#define LIB_REPORT_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include <utility>
#include <vector>

namespace ampc::report {
using Edge = std::pair<int, int>;

/// A graph whose nodes have layers. Coordinates here run along a layer.
struct LayeredGraph {
  std::vector<double> extents; ///< of each node along its layer
  std::vector<int> layers;     ///< from 0
  std::vector<Edge> edges;
};

/// Layers such that every edge goes to a later one, each as early as possible. Of a cycle the edges
/// to its node of the lowest number are ignored.
std::vector<int> longestPathLayers(size_t nodes, llvm::ArrayRef<Edge> edges);
/// Centres of the nodes: nodes of one layer at least `gap` apart, in an order with few crossings
/// (barycentres, Sugiyama et al. 1981), near their neighbours. Starts at 0. The time is linear but
/// for the sorting of layers.
std::vector<double> placeInLayers(const LayeredGraph &graph, double gap);
/// Pairs of edges that cross, between neighbouring layers; for tests.
int64_t countCrossings(const LayeredGraph &graph, llvm::ArrayRef<double> centres);
} // namespace ampc::report
#endif
