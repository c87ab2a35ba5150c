// Activation budget: chooses the forward ops to recompute, so that the residuals held for the
// backward pass fit a number of bytes.
//
// For a fixed price of work the choice is a minimum cut: a value that the backward pass or a
// recomputed op reads is either kept, which costs the value's bytes, or the producer is recomputed,
// which costs the price of the producer's work (Jain et al. 2020, Checkmate, solve the same problem
// as an integer program). Bisection finds the price. A recomputed value is live until the last
// consumer, so a cut alone would recompute the forward pass from the inputs and hold all of the
// forward pass again. Therefore the values at which the forward pass is narrow are kept as
// checkpoints: all, every second, every third and so on (Chen et al. 2016).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Precision/ActivationBudget.h"
#include "ampc/Support/Text.h"
#include "lib/Precision/Policies/FlowGraph.h"
#include "lib/Precision/Recomputation.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ampc;

llvm::Expected<ActivationBudget> ActivationBudget::parse(llvm::StringRef text) {
  static constexpr std::pair<llvm::StringLiteral, double> units[] = {
      {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"kB", 1e3}, {"KB", 1e3},
      {"MB", 1e6},      {"GB", 1e9},      {"B", 1},         {"%", 1},    {"", 1}};
  for (auto [unit, factor] : units) {
    llvm::StringRef number = text;
    double amount;
    if (!number.consume_back(unit) || number.trim().getAsDouble(amount) || !(amount >= 0) ||
        amount > 1e18)
      continue;
    return ActivationBudget{amount * factor, unit == "%"};
  }
  return llvm::createStringError("expected a number of bytes, as in 800MB, or of percent, as in "
                                 "50%, but got " +
                                 shown(text));
}

/// Operations in the time of moving a single byte, on processors and GPUs.
static constexpr double operationsPerByte = 16;

static double costOf(Operation *op) {
  double bytes = 0;
  for (mlir::Value operand : op->getOperands())
    bytes += bytesOf(operand);
  for (mlir::Value result : op->getResults())
    bytes += bytesOf(result);
  // Cheap ops are rematerialized inside the kernel of the consumer, at next to no cost.
  if (isCheapToRecompute(op))
    return bytes / operationsPerByte;
  auto counted = dyn_cast<PrecisionOpInterface>(op);
  return bytes * operationsPerByte + (counted ? double(counted.getFlops()) : 0);
}

RecomputationPlanner::RecomputationPlanner(Block &body,
                                           llvm::function_ref<bool(Operation *)> isBackward) {
  DenseMap<Operation *, int> places;
  DenseMap<Operation *, int64_t> positions;
  for (Operation &op : body) {
    positions[&op] = length++;
    if (isBackward(&op) || !isForward(&op) || op.hasTrait<OpTrait::ConstantLike>() ||
        op.hasTrait<OpTrait::IsTerminator>())
      continue;
    places[&op] = int(ops.size());
    ops.push_back({&op,
                   positions[&op],
                   costOf(&op),
                   isCheapToRecompute(&op),
                   isMemoryEffectFree(&op) && op.getNumRegions() == 0,
                   {},
                   {}});
  }
  for (auto [place, op] : llvm::enumerate(ops))
    for (OpResult result : op.op->getResults()) {
      op.gives.push_back(int(values.size()));
      values.push_back({int(place), bytesOf(result), {}});
      addReaders(int(values.size()) - 1, result, places, positions);
    }
}

void RecomputationPlanner::addReaders(int value, mlir::Value result,
                                      const DenseMap<Operation *, int> &places,
                                      const DenseMap<Operation *, int64_t> &positions) {
  Value &entry = values[value];
  for (Operation *user : llvm::SetVector<Operation *>(result.user_begin(), result.user_end())) {
    int64_t position = positions.lookup(user);
    if (auto place = places.find(user); place != places.end()) {
      entry.consumers.push_back(place->second);
      ops[place->second].reads.push_back(value);
    } else if (!user->hasTrait<OpTrait::IsTerminator>() && !isChunked(user)) {
      entry.firstBackward =
          entry.firstBackward < 0 ? position : std::min(entry.firstBackward, position);
      entry.lastBackward = std::max(entry.lastBackward, position);
    }
  }
}

/// Values that carry nearly all the data read by later ops (15/16 of the live bytes), for example
/// the residual stream between the layers of a transformer. Candidates for checkpoints.
SmallVector<int> RecomputationPlanner::findBoundaries() const {
  constexpr int64_t nearly = 16;
  SmallVector<int> found, open;
  for (auto [place, op] : llvm::enumerate(ops)) {
    llvm::append_range(open, op.gives);
    llvm::erase_if(open, [&, at = int(place)](int value) {
      const Value &v = values[value];
      return v.consumers.empty() ||
             llvm::all_of(v.consumers, [&](int consumer) { return consumer <= at; });
    });
    int64_t all = 0, most = 0;
    int widest = -1;
    for (int value : open) {
      all += values[value].bytes;
      if (values[value].bytes > most)
        std::tie(most, widest) = std::pair(values[value].bytes, value);
    }
    if (widest >= 0 && (all - most) * nearly <= all && !llvm::is_contained(found, widest))
      found.push_back(widest);
  }
  return found;
}

/// Ops to recompute at `price` bytes an operation; ops with `stays` set are kept.
RecomputationPlanner::Choice RecomputationPlanner::cut(double price, const Choice &stays) const {
  // Source side of the cut: values that are needed and ops that are recomputed.
  FlowGraph graph;
  SmallVector<int> needed, repeated;
  for (size_t i = 0; i < values.size(); ++i)
    needed.push_back(graph.addNode());
  for (auto [place, op] : llvm::enumerate(ops)) {
    repeated.push_back(graph.addNode());
    // Equal layers must not all change sides at the same price. The adjoints of early layers run
    // last, so keeping the residuals of early layers holds bytes for the longest time: early layers
    // are recomputed first.
    double later = 1 + 0.05 * double(place) / double(ops.size());
    double work = price * op.cost * later;
    bool isKept = stays[place] || !op.mayRepeat || work > 1e15;
    graph.addEdge(repeated.back(), FlowGraph::low, isKept ? FlowGraph::never : 1 + int64_t(work));
    for (int value : op.reads)
      graph.addEdge(repeated.back(), needed[value], FlowGraph::never);
  }
  for (auto [i, value] : llvm::enumerate(values)) {
    graph.addEdge(needed[i], repeated[value.op], value.bytes * 1024);
    if (value.firstBackward >= 0)
      graph.addEdge(FlowGraph::full, needed[i], FlowGraph::never);
  }
  graph.solve();
  Choice choice;
  for (int node : repeated)
    choice.push_back(graph.isFull(node));
  return choice;
}

/// Most bytes live at a time under a choice. `isNeeded`: the ops of `repeated` whose results are
/// read.
int64_t RecomputationPlanner::peakOf(const Choice &repeated, Choice &isNeeded) const {
  // Position of a copy: in front of the first op that reads the copy. Copies in front of the same
  // op keep the order of the forward pass.
  auto count = int64_t(ops.size());
  auto keyOf = [&](int64_t position, int64_t place) { return position * (count + 1) + place; };
  SmallVector<int64_t> copies(ops.size(), -1); // position of the op after each copy, -1 without a
                                               // copy
  std::vector<std::pair<int64_t, int64_t>> events;
  isNeeded.assign(ops.size(), false);
  for (int place = int(count) - 1; place >= 0; --place) {
    const Op &op = ops[place];
    int64_t first = -1;
    auto readAt = [&](int64_t position) {
      first = first < 0 ? position : std::min(first, position);
    };
    for (int value : op.gives) {
      if (values[value].firstBackward >= 0)
        readAt(values[value].firstBackward);
      for (int consumer : values[value].consumers)
        if (copies[consumer] >= 0)
          readAt(copies[consumer]);
    }
    if (first < 0)
      continue;
    if (repeated[place])
      copies[place] = first;
    isNeeded[place] = repeated[place];
    int64_t begin = repeated[place] ? keyOf(first, place) : keyOf(op.position, count);
    for (int value : op.gives) {
      int64_t end = -1;
      if (values[value].lastBackward >= 0)
        end = keyOf(values[value].lastBackward, count);
      for (int consumer : values[value].consumers)
        if (copies[consumer] >= 0)
          end = std::max(end, keyOf(copies[consumer], consumer));
      if (end < 0)
        continue;
      events.push_back({begin, values[value].bytes});
      events.push_back({end + 1, -values[value].bytes});
    }
  }
  llvm::sort(events);
  int64_t held = 0, peak = 0;
  for (auto [key, bytes] : events)
    peak = std::max(peak, held += bytes);
  return peak;
}

RecomputationPlan RecomputationPlanner::planOf(const Choice &repeated) const {
  RecomputationPlan plan;
  Choice isNeeded;
  plan.peak = peakOf(repeated, isNeeded);
  for (auto [op, isRepeated] : llvm::zip_equal(ops, isNeeded)) {
    if (!isRepeated)
      continue;
    plan.ops.push_back(op.op);
    plan.cost += op.isCheap ? 0 : op.cost;
  }
  return plan;
}

/// The plan with the least recomputation that holds at most `bytes`, without recomputing the ops of
/// `stays`; if no plan fits, the plan with the smallest peak.
RecomputationPlan RecomputationPlanner::cheapestWithin(int64_t bytes, const Choice &stays) const {
  RecomputationPlan best;
  best.peak = std::numeric_limits<int64_t>::max();
  auto tryPrice = [&](double exponent) {
    RecomputationPlan plan = planOf(cut(std::exp2(exponent), stays));
    bool fits = plan.peak <= bytes;
    if (best.peak > bytes ? plan.peak < best.peak : fits && plan.cost < best.cost)
      best = std::move(plan);
    return fits;
  };
  // Bisection over the logarithm of the price, from 2^20 (recompute nothing) down to 2^-20
  // (recompute all). Recomputed values are live as well, so the smallest peak lies somewhere
  // between.
  double low = 20;
  while (low > -20 && !tryPrice(low))
    low -= 2;
  for (double step = 1; best.peak <= bytes && step > 1e-5; step /= 2)
    low += tryPrice(low + step) ? step : 0;
  return best;
}

RecomputationPlan RecomputationPlanner::withoutBudget() const {
  Choice stays;
  for (const Op &op : ops)
    stays.push_back(!op.isCheap);
  return planOf(cut(std::exp2(-30), stays));
}

RecomputationPlan RecomputationPlanner::withBudget(int64_t bytes) const {
  RecomputationPlan best = withoutBudget();
  if (best.peak <= bytes)
    return best;
  auto tryWith = [&](const Choice &stays) {
    RecomputationPlan plan = cheapestWithin(bytes, stays);
    if (best.peak > bytes ? plan.peak < best.peak : plan.peak <= bytes && plan.cost < best.cost)
      best = std::move(plan);
  };
  SmallVector<int> boundaries = findBoundaries();
  tryWith(Choice(ops.size(), false));
  for (size_t every = 1; every <= boundaries.size(); every += (every + 3) / 4) {
    Choice stays(ops.size(), false);
    for (size_t i = every - 1; i < boundaries.size(); i += every)
      stays[values[boundaries[i]].op] = true;
    tryWith(stays);
  }
  return best;
}
