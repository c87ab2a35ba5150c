// Positions of the ops of one group of the drawing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Report/GroupLayout.h"
#include "lib/Report/Layout.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace ampc;
using namespace ampc::report;
using llvm::StringRef;

/// Width of a node, with room for the mnemonic, the rounds of a loop, and the type.
static double widthOf(const Op &op) {
  size_t letters = StringRef(op.kind).split('.').second.size();
  if (letters == 0)
    letters = op.name.size();
  if (op.bodyRounds)
    letters += 3 + std::to_string(op.bodyRounds).size();
  return 58 + 6.7 * double(letters);
}

namespace {
/// A frame holds the ops of one loop's body; the frame -1 holds the ops outside of loops. An item
/// of a frame is an op, or a loop with all of its body.
class OpPlacement {
public:
  OpPlacement(const Step &step, llvm::ArrayRef<int> members, bool isLong)
      : step(step), members(members), isLong(isLong) {}
  PlacedOps run();

private:
  int itemOf(int number, int frame) const;
  Box sizeOf(int item) const;
  std::vector<Edge> edgesOf(int frame, llvm::ArrayRef<int> items) const;
  void placeFrame(int frame);
  void placeItems(llvm::ArrayRef<int> items, const LayeredGraph &graph);

  const Step &step;
  llvm::ArrayRef<int> members;
  bool isLong;
  llvm::DenseMap<int, Box> boxes;  ///< of items, relative to the frame around the item
  llvm::DenseMap<int, Box> frames; ///< of loops, with the size alone
};
} // namespace

/// Item of a frame that is or contains the op; -1 for an op outside of the frame.
int OpPlacement::itemOf(int number, int frame) const {
  while (number >= 0 && step.operations[number].loop != frame)
    number = step.operations[number].loop;
  return number;
}

Box OpPlacement::sizeOf(int item) const {
  auto frame = frames.find(item);
  return frame != frames.end() ? frame->second
                               : Box{0, 0, widthOf(step.operations[item]), nodeHeight};
}

/// Edges among the items, numbered by their positions.
std::vector<Edge> OpPlacement::edgesOf(int frame, llvm::ArrayRef<int> items) const {
  llvm::DenseMap<int, int> position;
  for (auto [i, item] : llvm::enumerate(items))
    position[item] = i;
  std::vector<Edge> edges;
  for (int reader : members)
    for (const Operand &operand : step.operations[reader].operands) {
      auto from = position.find(itemOf(operand.operation, frame));
      auto to = position.find(itemOf(reader, frame));
      if (from != position.end() && to != position.end() && from != to)
        edges.push_back({from->second, to->second});
    }
  llvm::sort(edges);
  edges.erase(llvm::unique(edges), edges.end());
  return edges;
}

/// Boxes of the items; a layer is as deep as the deepest item, in a long group as all layers.
void OpPlacement::placeItems(llvm::ArrayRef<int> items, const LayeredGraph &graph) {
  std::vector<double> depths;
  double deepest = 0;
  for (auto [item, layer] : llvm::zip(items, graph.layers)) {
    double depth = isLong ? sizeOf(item).width : sizeOf(item).height;
    depths.resize(std::max(depths.size(), size_t(layer) + 1), 0);
    depths[layer] = std::max(depths[layer], depth);
    deepest = std::max(deepest, depth);
  }
  std::vector<double> starts{0};
  for (double depth : depths)
    starts.push_back(starts.back() + (isLong ? deepest + columnGap / 2 : depth + rowGap));
  std::vector<double> centres = placeInLayers(graph, nodeGap);
  for (auto [i, item] : llvm::enumerate(items)) {
    Box box = sizeOf(item);
    box.x = centres[i] - graph.extents[i] / 2;
    box.y = starts[graph.layers[i]];
    if (isLong)
      std::swap(box.x, box.y);
    boxes[item] = box;
  }
}

/// Places the items of a frame. A loop's body starts below the loop's op.
void OpPlacement::placeFrame(int frame) {
  std::vector<int> items;
  for (int number : members)
    if (step.operations[number].loop == frame)
      items.push_back(number);
  LayeredGraph graph;
  graph.edges = edgesOf(frame, items);
  graph.layers = longestPathLayers(items.size(), graph.edges);
  for (int item : items)
    graph.extents.push_back(isLong ? sizeOf(item).height : sizeOf(item).width);
  placeItems(items, graph);
  if (frame < 0)
    return;
  Box size{0, 0, widthOf(step.operations[frame]), nodeHeight};
  for (int item : items) {
    Box &box = boxes[item];
    box.x += padding;
    box.y += padding + nodeHeight + rowGap;
    size.width = std::max(size.width, box.x + box.width - padding);
    size.height = std::max(size.height, box.y + box.height - padding);
  }
  frames[frame] = {0, 0, size.width + 2 * padding, size.height + 2 * padding};
}

PlacedOps OpPlacement::run() {
  for (int number : llvm::reverse(members)) // a loop in a body comes behind the outer loop
    if (step.operations[number].bodyRounds)
      placeFrame(number);
  placeFrame(-1);
  PlacedOps placed;
  for (int number : members) {
    const Op &op = step.operations[number];
    Box box = boxes.lookup(number);
    if (op.loop >= 0) {
      const Box &outer = boxes[op.loop];
      box.x += outer.x;
      box.y += outer.y;
      boxes[number] = box;
    }
    placed.width = std::max(placed.width, box.x + box.width);
    placed.height = std::max(placed.height, box.y + box.height);
    if (op.bodyRounds) {
      placed.loops.push_back({number, box});
      box = {box.x + padding, box.y + padding, widthOf(op), nodeHeight};
    }
    placed.operations.push_back({number, box});
  }
  return placed;
}

PlacedOps report::placeOps(const Step &step, llvm::ArrayRef<int> members, bool isLong) {
  return OpPlacement(step, members, isLong).run();
}
