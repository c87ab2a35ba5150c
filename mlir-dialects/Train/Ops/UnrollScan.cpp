// Unrolling of loops: one copy of the block per round.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Build/Expansion.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

namespace {
/// Rounds of one loop, built in the order in which they run.
class Unroller {
public:
  Unroller(GradBuilder &b, ScanOp scan)
      : b(b), scan(scan), next(scan.getNext()), carried(scan.getInits()),
        stacks(next.getEach().size(), SmallVector<Value>(scan.getRounds())) {}
  SmallVector<Value> run();

private:
  StringAttr segmentOfRound(int64_t round);
  void runRound(int64_t round);
  void bindArguments(int64_t row);
  void cloneOp(Operation &op, int64_t row, StringAttr segment);
  OriginAttr originInRound(OriginAttr origin, int64_t row, StringAttr segment) const;
  Value rowAt(Value sequence, int64_t row);
  Value asSource(Value argument, Value value);
  Value stack(ArrayRef<Value> rows);

  GradBuilder &b;
  ScanOp scan;
  NextOp next;
  SmallVector<Value> carried;
  SmallVector<SmallVector<Value>> stacks; ///< per kept value, by row
  IRMapping mapping;
};
} // namespace

static std::string inRound(StringRef name, int64_t row) { return (name + "@" + Twine(row)).str(); }

/// Row of a tensor that an unrolled loop has put together from its rounds, or null. A gradient with
/// respect to the tensor goes through the tensor.
static Value keptRow(Value sequence, int64_t row) {
  auto stack = sequence.getDefiningOp<ConcatOp>();
  auto isGradient = [](Operation *user) { return isa<GradOp>(user); };
  if (!stack || llvm::any_of(stack->getUsers(), isGradient) || stack.getDim() != 0 ||
      int64_t(stack->getNumOperands()) != tensorOf(sequence).getDimSize(0))
    return {};
  auto part = stack->getOperand(row).getDefiningOp<ReshapeOp>();
  return part && part.getX().getType() == rowOf(sequence.getType()) ? Value(part.getX()) : Value();
}

/// Row `row` of [rows, ...] without the leading dimension.
Value Unroller::rowAt(Value sequence, int64_t row) {
  if (Value kept = keptRow(sequence, row))
    return kept;
  RankedTensorType type = tensorOf(sequence);
  SmallVector<int64_t> from(type.getRank(), 0), sizes(type.getShape()), ones(type.getRank(), 1);
  from[0] = row, sizes[0] = 1;
  return b.reshape(b.op<SliceOp>(sequence, from, sizes, ones), rowOf(type));
}

/// [...] of every row -> [rows, ...].
Value Unroller::stack(ArrayRef<Value> rows) {
  SmallVector<Value> parts = llvm::map_to_vector(
      rows, [&](Value row) { return b.reshape(row, stackOf(row.getType(), 1)); });
  return parts.size() == 1 ? parts.front() : b.op<ConcatOp>(parts, 0);
}

/// A copy of the value if a gradient in the block is taken with respect to the argument: paths from
/// other names of the value do not count, such as from the init in the first round.
Value Unroller::asSource(Value argument, Value value) {
  bool isSource = llvm::any_of(argument.getUses(), [](OpOperand &use) {
    return isa<GradOp>(use.getOwner()) && use.getOperandNumber() > 0;
  });
  return isSource ? b.op<ReshapeOp>(value.getType(), value) : value;
}

void Unroller::bindArguments(int64_t row) {
  Attribute origin = b.origin;
  b.origin = originInRound(dyn_cast_or_null<OriginAttr>(origin), row, {});
  if (Value index = scan.getIndex())
    mapping.map(index, b.real(double(row), index));
  for (auto [argument, value] : llvm::zip(scan.getCarried(), carried))
    mapping.map(argument, asSource(argument, value));
  for (auto [argument, sequence] : llvm::zip(scan.getRows(), scan.getSequences()))
    mapping.map(argument, asSource(argument, rowAt(sequence, row)));
  b.origin = origin;
}

/// A checkpoint around the loop's rounds takes the place of checkpoints inside. Other checkpoints
/// are separate in each round.
OriginAttr Unroller::originInRound(OriginAttr origin, int64_t row, StringAttr segment) const {
  if (!origin)
    return origin;
  if (StringAttr inner = origin.getSegment(); inner && !segment)
    segment = StringAttr::get(inner.getContext(), inRound(inner.getValue(), row));
  return origin.withName(inRound(origin.getName().getValue(), row)).withSegment(segment);
}

/// Copies of regions are dropped before the next round, and so are the mappings of values inside.
static Operation *cloneWithRegions(OpBuilder &builder, Operation &op, IRMapping &mapping) {
  if (op.getNumRegions() == 0)
    return builder.clone(op, mapping);
  IRMapping inside = mapping;
  Operation *copy = builder.clone(op, inside);
  mapping.map(op.getResults(), copy->getResults());
  return copy;
}

/// The term of a carried sum in the first round, whose sum is 0; null for other ops.
static Value onlyTerm(Operation &op, const IRMapping &mapping) {
  if (!isa<AddOp>(op) || !op.hasAttr("train.fan_in"))
    return {};
  Value sum = mapping.lookupOrDefault(op.getOperand(0)),
        term = mapping.lookupOrDefault(op.getOperand(1));
  return isZero(sum) && term.getType() == op.getResult(0).getType() ? term : Value();
}

/// Keys of observed values, `train.values`, are separate in each round, as names are.
static void setKeysOfRound(Operation *op, int64_t row) {
  auto marks = op->getAttrOfType<ArrayAttr>("train.values");
  if (!marks)
    return;
  Builder b(op->getContext());
  op->setAttr("train.values", b.getArrayAttr(llvm::map_to_vector(marks, [&](Attribute each) {
    auto mark = cast<DictionaryAttr>(each);
    NamedAttrList list(mark);
    if (auto key = mark.getAs<StringAttr>("key"))
      list.set("key", b.getStringAttr(inRound(key.getValue(), row)));
    return Attribute(list.getDictionary(b.getContext()));
  })));
}

void Unroller::cloneOp(Operation &op, int64_t row, StringAttr segment) {
  if (Value term = onlyTerm(op, mapping)) {
    mapping.map(op.getResult(0), term);
    return;
  }
  Operation *copy = cloneWithRegions(b.builder, op, mapping);
  copy->walk([&](Operation *inner) {
    setOrigin(inner, originInRound(originOf(inner), row, segment));
    setKeysOfRound(inner, row);
  });
  auto inner = dyn_cast<ScanOp>(copy);
  if (!inner)
    return;
  GradBuilder rounds(b.builder, inner);
  SmallVector<Value> values = unroll(rounds, inner);
  mapping.map(op.getResults(), ValueRange(values));
  copy->erase();
}

/// Name of the checkpoint around a round, which is that of the adjoint's round as well.
StringAttr Unroller::segmentOfRound(int64_t round) {
  std::optional<int64_t> rounds = scan.getCheckpoint();
  if (!rounds)
    return {};
  OriginAttr origin = originOf(scan);
  int64_t forwardRound = isForward(scan) ? round : scan.getRounds() - 1 - round;
  return b.builder.getStringAttr(
      inRound(origin ? origin.getName().getValue() : StringRef("loop"), forwardRound / *rounds));
}

void Unroller::runRound(int64_t round) {
  int64_t row = scan.getReverse() ? scan.getRounds() - 1 - round : round;
  StringAttr segment = segmentOfRound(round);
  bindArguments(row);
  for (Operation &op : scan.getBody().front().without_terminator())
    cloneOp(op, row, segment);
  for (auto [value, passed] : llvm::zip(carried, next.getCarried()))
    value = mapping.lookupOrDefault(passed);
  for (auto [rows, kept] : llvm::zip(stacks, next.getEach()))
    rows[row] = mapping.lookupOrDefault(kept);
}

SmallVector<Value> Unroller::run() {
  for (int64_t round = 0; round < scan.getRounds(); ++round)
    runRound(round);
  SmallVector<Value> results(carried);
  for (ArrayRef<Value> rows : stacks)
    results.push_back(stack(rows));
  return results;
}

SmallVector<Value> ampc::unroll(GradBuilder &b, ScanOp scan) { return Unroller(b, scan).run(); }

void ampc::replaceByRounds(ScanOp scan) {
  replaceByExpansion(scan, [&](GradBuilder &b) { return unroll(b, scan); });
}

/// Loops around an op up to the outermost, `scan`, run it that many times in all.
static int64_t runsWithin(Operation *op, ScanOp scan, int64_t limit) {
  int64_t runs = 1;
  for (Operation *at = op; at != scan;) {
    at = at->getParentOp();
    if (auto loop = dyn_cast<ScanOp>(at))
      runs = std::min(runs * loop.getRounds(), limit + 1);
  }
  return runs;
}

int64_t ampc::countUnrolled(ScanOp scan, int64_t limit) {
  int64_t ops = 0;
  scan.getBody().walk(
      [&](Operation *op) { ops = std::min(ops + runsWithin(op, scan, limit), limit + 1); });
  return ops;
}
