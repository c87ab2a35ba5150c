// Layered drawing of directed graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_REPORT_LAYOUT_H
#define LIB_REPORT_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include <utility>
#include <vector>

namespace ampc::report {
using Edge = std::pair<int, int>;

/// A graph with a layer per node. Coordinates run along a layer.
struct LayeredGraph {
  std::vector<double> extents; ///< extent of each node along the layer
  std::vector<int> layers;     ///< layer of each node, from 0
  std::vector<Edge> edges;
};

/// Assigns each node the lowest layer such that every edge leads to a higher layer. In a cycle,
/// edges to the node of the lowest number are ignored. Example: edges 0 -> 1, 1 -> 2, 0 -> 2 give
/// layers 0, 1, 2.
std::vector<int> longestPathLayers(size_t nodes, llvm::ArrayRef<Edge> edges);
/// Centres of the nodes: nodes of a layer at least `gap` apart, in an order with few crossings
/// (barycentres, Sugiyama et al. 1981), near their neighbours. Coordinates start at 0. Linear time,
/// apart from sorting the layers.
std::vector<double> placeInLayers(const LayeredGraph &graph, double gap);
/// Number of crossing pairs of edges between neighbouring layers; for tests.
int64_t countCrossings(const LayeredGraph &graph, llvm::ArrayRef<double> centres);
} // namespace ampc::report
#endif
