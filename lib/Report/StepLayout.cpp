// Positions of a step's ops in the drawing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Report/StepLayout.h"
#include "lib/Report/Facts.h"
#include "lib/Report/GroupLayout.h"
#include "lib/Report/Layout.h"

using namespace ampc;
using namespace ampc::report;
using llvm::StringRef;

// Sizes in units of the page: pixels at scale 1.
static constexpr double labelHeight = 22, groupGap = 22, laneGap = 64, laneLabel = 34,
                        bandHeight = 26;

namespace {
/// A group during layout.
struct GroupLayout {
  std::string name;
  StepStage part;
  std::vector<int> operations;
  std::vector<LoopBox> loops;
  int column = 0;
  double width = 0, height = 0;
};

class StepLayoutBuilder {
public:
  explicit StepLayoutBuilder(const Step &step) : step(step) {}
  StepLayout run();

private:
  void findGroups();
  void layOutGroup(GroupLayout &group);
  void findColumns();
  void placeColumns();
  void place(GroupLayout &group, double x, double y);
  /// Whether the group serves all parameters: schedule, norm, check of gradients. Such a group is
  /// wide, so it has no column.
  bool isShared(const GroupLayout &group) const {
    return group.part == StepStage::Optimizer && group.name == step.name;
  }
  /// Places the groups of a part below `top`; returns the bottom.
  double placeLane(StepStage part, double top);
  void findBands();
  std::vector<Edge> edgesBetween(llvm::ArrayRef<int> members,
                                 llvm::function_ref<int(int)> numberOf) const;

  const Step &step;
  StepLayout result;
  std::vector<GroupLayout> groups;
  std::vector<int> groupOf; ///< group of each op
  std::vector<double> columnX, columnWidth;
};
} // namespace

/// Lane of a part; inputs are drawn in the forward lane.
static StepStage laneOf(StepStage part) {
  return part == StepStage::Input ? StepStage::Forward : part;
}

/// The outermost loop around an op; the op itself outside of loops.
static const Op &outermost(const Step &step, const Op &op) {
  const Op *outer = &op;
  while (outer->loop >= 0)
    outer = &step.operations[outer->loop];
  return *outer;
}

void StepLayoutBuilder::findGroups() {
  std::map<std::pair<StepStage, std::string>, int> known;
  for (auto [number, op] : llvm::enumerate(step.operations)) {
    StepStage lane = laneOf(outermost(step, op).part);
    std::string name = op.part == StepStage::Input ? "inputs" : op.group;
    auto [found, isNew] = known.try_emplace({lane, name}, groups.size());
    if (isNew)
      groups.push_back({name, lane, {}, {}, 0, 0, 0});
    groups[found->second].operations.push_back(number);
    groupOf.push_back(found->second);
  }
}

/// Edges among `members`, numbered by `numberOf`.
std::vector<Edge> StepLayoutBuilder::edgesBetween(llvm::ArrayRef<int> members,
                                                  llvm::function_ref<int(int)> numberOf) const {
  std::vector<Edge> edges;
  for (int reader : members)
    for (const Operand &operand : step.operations[reader].operands)
      if (operand.operation >= 0) {
        int from = numberOf(operand.operation), to = numberOf(reader);
        if (from >= 0 && to >= 0 && from != to)
          edges.push_back({from, to});
      }
  llvm::sort(edges);
  edges.erase(llvm::unique(edges), edges.end());
  return edges;
}

/// Lays out a group at the origin, from top to bottom; the shared group of the optimizer has long
/// chains and runs from left to right.
void StepLayoutBuilder::layOutGroup(GroupLayout &group) {
  PlacedOps placed = placeOps(step, group.operations, isShared(group));
  auto moved = [](Box box) {
    return Box{padding + box.x, labelHeight + padding / 2 + box.y, box.width, box.height};
  };
  for (auto [number, box] : placed.operations)
    result.operations[number] = moved(box);
  for (auto [number, box] : placed.loops)
    group.loops.push_back({number, moved(box)});
  group.width = placed.width + 2 * padding;
  group.height = labelHeight + placed.height + 1.5 * padding;
  // The label widens the group up to a limit, beyond which the label is cut.
  StringRef label = StringRef(group.name).rsplit('/').second;
  size_t letters = label.empty() ? group.name.size() : label.size();
  double wanted = std::min(220.0, 7.2 * double(letters) + 2 * padding);
  if (wanted > group.width) {
    for (int number : group.operations)
      result.operations[number].x += (wanted - group.width) / 2;
    for (LoopBox &loop : group.loops)
      loop.box.x += (wanted - group.width) / 2;
    group.width = wanted;
  }
}

void StepLayoutBuilder::findColumns() {
  std::map<std::string, int> forward;
  std::vector<Edge> edges;
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (group.part != StepStage::Forward)
      continue;
    forward[group.name] = i;
    for (Edge edge : edgesBetween(group.operations, [&](int number) { return groupOf[number]; }))
      if (groups[edge.first].part == StepStage::Forward)
        edges.push_back(edge);
  }
  std::vector<int> columns = longestPathLayers(groups.size(), edges);
  for (auto [i, group] : llvm::enumerate(groups)) {
    group.column = columns[i];
    auto source = forward.find(group.name);
    if (group.part == StepStage::Backward)
      group.column = source == forward.end() ? 0 : columns[source->second];
    if (group.part == StepStage::Optimizer) // below the gradient that the update reads
      for (int number : group.operations)
        if (step.operations[number].kind == "train.gradient")
          for (const Operand &operand : step.operations[number].operands)
            if (operand.operation >= 0)
              group.column = groups[groupOf[operand.operation]].column;
  }
}

void StepLayoutBuilder::placeColumns() {
  for (const GroupLayout &group : groups) {
    if (isShared(group))
      continue;
    if (columnWidth.size() <= size_t(group.column))
      columnWidth.resize(group.column + 1, 0);
    columnWidth[group.column] = std::max(columnWidth[group.column], group.width);
  }
  double x = laneLabel;
  for (double width : columnWidth) {
    columnX.push_back(x);
    x += width + columnGap;
  }
  result.width = x;
}

void StepLayoutBuilder::place(GroupLayout &group, double x, double y) {
  for (int operation : group.operations) {
    result.operations[operation].x += x;
    result.operations[operation].y += y;
  }
  for (const LoopBox &loop : group.loops)
    result.loops.push_back(
        {loop.operation, {loop.box.x + x, loop.box.y + y, loop.box.width, loop.box.height}});
  auto [path, label] = StringRef(group.name).rsplit('/');
  if (isShared(group))
    label = "all parameters";
  result.groups.push_back({(label.empty() ? path : label).str(),
                           label.empty() ? "" : path.str(),
                           group.part,
                           {x, y, group.width, group.height}});
}

double StepLayoutBuilder::placeLane(StepStage part, double top) {
  std::vector<int> members;
  llvm::DenseMap<int, int> local;
  LayeredGraph graph;
  std::vector<int> operations;
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (group.part != part || isShared(group))
      continue;
    local[i] = members.size();
    members.push_back(i);
    graph.extents.push_back(group.height);
    graph.layers.push_back(group.column);
    llvm::append_range(operations, group.operations);
  }
  graph.edges = edgesBetween(operations, [&](int number) {
    auto found = local.find(groupOf[number]);
    return found == local.end() ? -1 : found->second;
  });
  std::vector<double> centres = placeInLayers(graph, groupGap);
  double bottom = top;
  for (auto [i, number] : llvm::enumerate(members)) {
    GroupLayout &group = groups[number];
    double x = columnX[group.column] + (columnWidth[group.column] - group.width) / 2;
    double y = top + centres[i] - group.height / 2;
    place(group, x, y);
    bottom = std::max(bottom, y + group.height);
  }
  for (GroupLayout &group : groups)
    if (part == StepStage::Optimizer && isShared(group)) {
      place(group, laneLabel, bottom + groupGap);
      bottom += groupGap + group.height;
      result.width = std::max(result.width, laneLabel + group.width + columnGap);
    }
  result.lanes.push_back({0, top - 12, result.width, bottom - top + 24});
  return bottom;
}

/// Finds nested calls by names: "loss/call#0/block/call#1/linear#0" is in two calls.
void StepLayoutBuilder::findBands() {
  std::map<std::string, std::pair<double, double>> extents;
  std::vector<std::string> order;
  for (const Group &group : result.groups) {
    if (group.part != StepStage::Forward)
      continue;
    for (size_t at = 0; (at = group.path.find('/', at + 1)) != std::string::npos;) {
      size_t start = group.path.rfind('/', at - 1) + 1; // npos + 1 is 0
      size_t end = std::min(group.path.find('/', at + 1), group.path.size());
      if (StringRef(group.path).slice(start, at).contains("call#")) {
        std::string prefix = group.path.substr(0, end);
        auto [found, isNew] =
            extents.try_emplace(prefix, group.box.x, group.box.x + group.box.width);
        if (isNew)
          order.push_back(prefix);
        found->second.first = std::min(found->second.first, group.box.x);
        found->second.second = std::max(found->second.second, group.box.x + group.box.width);
      }
    }
  }
  for (const std::string &prefix : order) {
    auto [from, to] = extents[prefix];
    auto [rest, function] = StringRef(prefix).rsplit('/');
    StringRef call = rest.rsplit('/').second;
    int depth = StringRef(prefix).count("call#") - 1;
    result.bands.push_back(
        {(function + " " + (call.empty() ? rest : call)).str(), from, to, depth});
  }
}

StepLayout StepLayoutBuilder::run() {
  result.operations.resize(step.operations.size());
  findGroups();
  for (GroupLayout &group : groups)
    layOutGroup(group);
  findColumns();
  placeColumns();
  double top = 3 * bandHeight;
  for (StepStage part : {StepStage::Forward, StepStage::Backward, StepStage::Optimizer})
    top = placeLane(part, top) + laneGap;
  result.height = top - laneGap + 24;
  for (Box &lane : result.lanes)
    lane.width = result.width;
  findBands();
  return std::move(result);
}

StepLayout report::layOut(const Step &step) { return StepLayoutBuilder(step).run(); }

static llvm::json::Array toJson(const Box &box) {
  auto rounded = [](double x) { return int64_t(x + 0.5); };
  return llvm::json::Array{rounded(box.x), rounded(box.y), rounded(box.width), rounded(box.height)};
}

llvm::json::Value report::toJson(const StepLayout &layout) {
  llvm::json::Array operations, groups, loops, bands, lanes;
  for (const Box &box : layout.operations)
    operations.push_back(::toJson(box));
  for (const Group &group : layout.groups)
    groups.push_back(llvm::json::Object{{"label", group.label},
                                        {"path", group.path},
                                        {"part", partName(group.part)},
                                        {"box", ::toJson(group.box)}});
  for (const LoopBox &loop : layout.loops)
    loops.push_back(llvm::json::Object{{"operation", loop.operation}, {"box", ::toJson(loop.box)}});
  for (const Band &band : layout.bands)
    bands.push_back(llvm::json::Object{{"label", band.label},
                                       {"from", int64_t(band.from)},
                                       {"to", int64_t(band.to)},
                                       {"depth", band.depth}});
  for (const Box &lane : layout.lanes)
    lanes.push_back(::toJson(lane));
  return llvm::json::Object{{"operations", std::move(operations)}, {"groups", std::move(groups)},
                            {"loops", std::move(loops)},           {"bands", std::move(bands)},
                            {"lanes", std::move(lanes)},           {"width", int64_t(layout.width)},
                            {"height", int64_t(layout.height)}};
}
