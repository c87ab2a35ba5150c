// Layered drawing: layers, distances, crossings, size.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Report/Layout.h"
#include "gtest/gtest.h"

using namespace ampc::report;

/// Neighbours in a layer keep the distance, in any order.
static void expectApart(const LayeredGraph &graph, const std::vector<double> &centres, double gap) {
  for (size_t a = 0; a < centres.size(); ++a) {
    EXPECT_GE(centres[a] - graph.extents[a] / 2, -1e-9);
    for (size_t b = a + 1; b < centres.size(); ++b)
      if (graph.layers[a] == graph.layers[b])
        EXPECT_GE(std::abs(centres[a] - centres[b]),
                  (graph.extents[a] + graph.extents[b]) / 2 + gap - 1e-6);
  }
}

TEST(Layout, LayersAreLongestPaths) {
  std::vector<Edge> edges{{0, 1}, {1, 2}, {0, 3}, {2, 3}, {4, 3}, {5, 1}};
  EXPECT_EQ(longestPathLayers(6, edges), (std::vector<int>{0, 1, 2, 3, 0, 0}));
  // A consumer may have a lower number than the producer: the group of a loss starts with the
  // weights of the micro-batches.
  EXPECT_EQ(longestPathLayers(3, {{1, 2}, {2, 0}}), (std::vector<int>{2, 0, 1}));
  // 2 -> 0 closes a cycle and does not count.
  EXPECT_EQ(longestPathLayers(3, {{0, 1}, {1, 2}, {2, 0}}), (std::vector<int>{0, 1, 2}));
  EXPECT_TRUE(longestPathLayers(0, {}).empty());
}

TEST(Layout, UncrossesWhatNeedNotCross) {
  LayeredGraph graph;
  graph.extents.assign(8, 10);
  graph.layers = {0, 0, 0, 0, 1, 1, 1, 1};
  graph.edges = {{0, 7}, {1, 6}, {2, 5}, {3, 4}};
  std::vector<double> given{5, 20, 35, 50, 5, 20, 35, 50};
  EXPECT_EQ(countCrossings(graph, given), 6);
  std::vector<double> centres = placeInLayers(graph, 5);
  EXPECT_EQ(countCrossings(graph, centres), 0);
  expectApart(graph, centres, 5);
}

TEST(Layout, ChainsAreStraight) {
  LayeredGraph graph;
  graph.extents = {10, 80, 30, 10};
  graph.layers = {0, 1, 2, 3};
  graph.edges = {{0, 1}, {1, 2}, {2, 3}};
  for (double centre : placeInLayers(graph, 5))
    EXPECT_NEAR(centre, 40, 1e-9);
}

TEST(Layout, ANodeStandsBetweenItsNeighbours) {
  LayeredGraph graph;
  graph.extents.assign(3, 10);
  graph.layers = {0, 0, 1};
  graph.edges = {{0, 2}, {1, 2}};
  std::vector<double> centres = placeInLayers(graph, 6);
  EXPECT_NEAR(centres[2], (centres[0] + centres[1]) / 2, 1e-9);
  expectApart(graph, centres, 6);
}

// A width of 40 and edges over many layers: as large as the steps of deep models.
TEST(Layout, ManyNodesKeepTheirDistance) {
  LayeredGraph graph;
  unsigned state = 1;
  auto random = [&](unsigned n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
  };
  for (int node = 0; node < 8000; ++node) {
    graph.extents.push_back(20 + random(100));
    graph.layers.push_back(node / 40);
    for (int k = 0; node >= 40 && k < 3; ++k)
      graph.edges.push_back({int(random(node / 40 * 40)), node});
  }
  std::vector<double> centres = placeInLayers(graph, 10);
  for (int layer = 0; layer < 200; ++layer) {
    std::vector<int> nodes;
    for (int i = 0; i < 40; ++i)
      nodes.push_back(layer * 40 + i);
    std::sort(nodes.begin(), nodes.end(), [&](int a, int b) { return centres[a] < centres[b]; });
    for (int i = 1; i < 40; ++i)
      ASSERT_GE(centres[nodes[i]] - centres[nodes[i - 1]],
                (graph.extents[nodes[i]] + graph.extents[nodes[i - 1]]) / 2 + 10 - 1e-6);
  }
}
