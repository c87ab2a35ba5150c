// Evaluates the scalar body of a fused kernel at vectors of points, by re-creating the body's ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/Data/FusedReduction.h"
#include "mlir-dialects/SourceWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

BodyEmitter::BodyEmitter(KernelEmitter &e, FusedKernelOpInterface op,
                         const KernelPointers &pointers, IterationSpace space)
    : e(e), op(op), inputs(ArrayRef(pointers.operands).take_back(op.getInputMaps().size())),
      results(pointers.results), reductions(pointers.reductions), points(std::move(space)),
      width(lanesFor(op, e.tier)) {}

// A reduction has one partial sum per lane, so its number of lanes fixes the order of the
// additions: always the 32-bit lane count, even if the body has wider elements, whose vectors then
// take several registers.
int64_t BodyEmitter::lanesFor(FusedKernelOpInterface op, const Tier &tier) {
  Block &body = op.getBody().front();
  if (isa<kernel::ReduceOp>(op) || !body.getOps<kernel::RowReduceOp>().empty())
    return tier.lanes(32);
  unsigned bits = 32;
  auto look = [&](Type type) {
    if (type.isIntOrFloat())
      bits = std::max(bits, type.getIntOrFloatBitWidth());
  };
  llvm::for_each(body.getArgumentTypes(), look);
  for (Operation &bodyOp : body)
    llvm::for_each(bodyOp.getResultTypes(), look);
  return tier.lanes(bits);
}

uint64_t BodyEmitter::dependence(Value value) {
  SourceWalk().visit(
      value, [&](Value source) { return !dependences.contains(source); },
      [&](Value source) { dependences[source] = ownDependence(source); });
  return dependences.lookup(value);
}

/// Mask of the dimensions that a value depends on, from the masks of its operands. Example: space
/// [m, n], bias [n] -> mask 0b10.
uint64_t BodyEmitter::ownDependence(Value value) const {
  unsigned rank = points.rank();
  uint64_t last = uint64_t(1) << (rank - 1), all = 2 * last - 1, mask = 0;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    FusedKernelOpInterface kernel = op; // accessors are not const
    unsigned lead = kernel.getNumLeadingArguments();
    if (arg.getArgNumber() < lead)
      mask = all;
    else
      for (unsigned dim = 0; dim < rank; ++dim)
        if (points.inputs[arg.getArgNumber() - lead].dependsOn(dim))
          mask |= uint64_t(1) << dim;
  } else {
    for (Value operand : value.getDefiningOp()->getOperands())
      mask |= dependences.lookup(operand);
    if (isa<kernel::RowReduceOp>(value.getDefiningOp()))
      mask &= ~last;
    else if (isa<kernel::RowIndexOp>(value.getDefiningOp()))
      mask = last;
    else if (isa<kernel::LinearIndexOp>(value.getDefiningOp()))
      mask = all;
  }
  return mask;
}

void BodyEmitter::define(Value value, Value known) {
  if (pinned.try_emplace(value, known).second)
    order.push_back(value);
}
void BodyEmitter::release(size_t mark) {
  while (order.size() > mark)
    pinned.erase(order.pop_back_val());
}
BodyEmitter::Values BodyEmitter::take(size_t mark) {
  Values taken;
  for (Value value : ArrayRef(order).drop_front(mark))
    taken[value] = pinned.lookup(value);
  release(mark);
  return taken;
}
void BodyEmitter::pin(const PointVector &run, uint64_t varying) {
  PointVector point = run;
  point.lanes = point.active = 1;
  pinReady(point, varying);
}
void BodyEmitter::pinVectors(const PointVector &run, uint64_t varying) { pinReady(run, varying); }
void BodyEmitter::pinReady(const PointVector &run, uint64_t varying) {
  auto ready = [&](Value value) { return pinned.contains(value); };
  for (BlockArgument arg : body().getArguments())
    if (!(dependence(arg) & varying) && !arg.use_empty() && !ready(arg)) {
      Values done;
      define(arg, evaluate(arg, run, done));
    }
  for (Operation &bodyOp : body().without_terminator()) {
    if (isa<kernel::RowReduceOp>(bodyOp) || bodyOp.use_empty() || ready(bodyOp.getResult(0)))
      continue;
    if (dependence(bodyOp.getResult(0)) & varying || !llvm::all_of(bodyOp.getOperands(), ready))
      continue;
    Values done;
    evaluate(bodyOp.getResult(0), run, done);
    for (Value result : bodyOp.getResults())
      define(result, done.lookup(result));
  }
}

Value BodyEmitter::read(unsigned input, const PointVector &run) {
  const Access &access = points.inputs[input];
  Value base = inputs[input];
  OperandRange operands = op.getInputsMutable();
  Type element = getElementTypeOrSelf(operands[input].getType());
  if (!access.dependsOn(run.along) || run.lanes == 1)
    return e.loadScalar(base, element, target::position(e, access, run.dims));
  if (auto stride = access.strideAlong(run.along))
    return e.loadStrided(base, element, target::position(e, access, run.dims), *stride, run.lanes,
                         run.active);
  return e.loadScattered(base, element, scattered(access, run), run.lanes);
}
/// Positions of the active lanes, lane by lane.
SmallVector<Value> BodyEmitter::scattered(const Access &access, const PointVector &run) {
  SmallVector<Value> dims(run.dims), positions;
  for (int64_t lane = 0; lane < run.active; ++lane) {
    dims[run.along] = e.add(run.dims[run.along], lane);
    positions.push_back(target::position(e, access, dims));
  }
  return positions;
}

/// Point numbers first, first + step, ... of the lanes, as i32.
static Value countingFrom(KernelEmitter &e, Value first, int64_t step, int64_t lanes) {
  Type i32 = e.b.getI32Type();
  Value start = arith::IndexCastOp::create(e.b, e.loc, i32, first);
  if (lanes == 1 || step == 0)
    return start;
  Value numbers = e.iota(i32, lanes);
  if (step != 1)
    numbers = arith::MulIOp::create(e.b, e.loc, numbers, e.constant(numbers.getType(), step));
  return arith::AddIOp::create(e.b, e.loc, e.broadcast(start, lanes), numbers);
}
Value BodyEmitter::rowIndex(const PointVector &run) {
  unsigned last = points.rank() - 1;
  return countingFrom(e, run.dims[last], run.along == last, run.lanes);
}
Value BodyEmitter::linearIndex(const PointVector &run) {
  Value sum = e.index(0);
  for (unsigned dim = 0; dim < points.rank(); ++dim)
    sum = e.add(sum, e.mul(run.dims[dim], points.count(dim + 1, points.rank())));
  return countingFrom(e, sum, points.count(run.along + 1, points.rank()), run.lanes);
}

Value BodyEmitter::knownAt(Value value, const PointVector &run, const Values &done) {
  if (Value known = done.lookup(value))
    return known;
  if (Value known = pinned.lookup(value)) {
    // A scalar of a row whose vectors are pinned: lane 0 is the row's first point.
    if (run.lanes == 1 && isa<VectorType>(known.getType()))
      return vector::ExtractOp::create(e.b, e.loc, known, int64_t(0));
    return known;
  }
  return {};
}
Value BodyEmitter::evaluate(Value value, const PointVector &run, Values &done) {
  if (Value known = knownAt(value, run, done))
    return known;
  SourceWalk().visit(
      value, [&](Value source) { return !done.contains(source) && !isKnown(source); },
      [&](Value source) { compute(source, run, done); });
  return done.lookup(value);
}
Value BodyEmitter::evaluateVector(Value value, const PointVector &run, Values &done) {
  return e.broadcast(evaluate(value, run, done), run.lanes);
}

// Body ops are elementwise: the same op applies to vectors.
void BodyEmitter::compute(Value value, const PointVector &run, Values &done) {
  if (done.contains(value)) // a sibling result of the same op
    return;
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    done[value] = read(arg.getArgNumber() - op.getNumLeadingArguments(), run);
    return;
  }
  Operation *def = value.getDefiningOp();
  if (isa<kernel::RowIndexOp, kernel::LinearIndexOp>(def)) {
    done[value] = isa<kernel::RowIndexOp>(def) ? rowIndex(run) : linearIndex(run);
    return;
  }
  SmallVector<Value> operands = llvm::map_to_vector(
      def->getOperands(), [&](Value operand) { return knownAt(operand, run, done); });
  emitOnVectors(e, def, operands, run.lanes, done);
}
void cpu::emitOnVectors(KernelEmitter &e, Operation *def, ArrayRef<Value> operands, int64_t lanes,
                        BodyEmitter::Values &values) {
  bool vectors =
      llvm::any_of(operands, [](Value operand) { return isa<VectorType>(operand.getType()); });
  OperationState state(e.loc, def->getName());
  for (Value operand : operands)
    state.operands.push_back(vectors ? e.broadcast(operand, lanes) : operand);
  for (Type type : def->getResultTypes())
    state.addTypes(KernelEmitter::vectorOf(type, vectors ? lanes : 1));
  state.addAttributes(llvm::to_vector(def->getAttrDictionary()));
  Operation *made = e.b.create(state);
  for (auto [from, to] : llvm::zip(def->getResults(), made->getResults()))
    values[from] = to;
}

void BodyEmitter::storeResult(unsigned k, Value value, const PointVector &run) {
  const Access &access = points.results[k];
  Value base = results[k], at = target::position(e, access, run.dims);
  if (!access.dependsOn(run.along) || run.lanes == 1) {
    if (isa<VectorType>(value.getType()))
      value = vector::ExtractOp::create(e.b, e.loc, value, int64_t(0));
    addToReductions(k, value, 1);
    return e.store(value, base, at);
  }
  value = e.broadcast(value, run.lanes);
  addToReductions(k, value, run.active);
  auto stride = access.strideAlong(run.along);
  if (streams && stride == 1 && run.active == run.lanes)
    return e.stream(value, base, at);
  if (stride)
    return e.storeStrided(value, base, at, *stride, run.active);
  e.storeScattered(value, base, scattered(access, run));
}
// Prefetches inputs only: prefetches of lines to be written would take the fill buffers that the
// loads of products need.
void BodyEmitter::prefetch(const PointVector &run, int64_t count, int64_t least) {
  OperandRange operands = op.getInputsMutable();
  for (BlockArgument arg : body().getArguments().drop_front(op.getNumLeadingArguments())) {
    unsigned input = arg.getArgNumber() - op.getNumLeadingArguments();
    const Access &access = points.inputs[input];
    if (arg.use_empty() || access.residue || access.strideAlong(run.along) != 1 ||
        dependence(arg) == uint64_t(1) << run.along ||
        kernel::byteSize(operands[input].getType()) < least)
      continue;
    Type element = getElementTypeOrSelf(operands[input].getType());
    Value start = target::position(e, access, run.dims);
    for (int64_t i = 0; i < count; i += 64 / elementBytes(element))
      e.prefetch(inputs[input], element, e.add(start, i));
  }
}
void BodyEmitter::redirectResult(unsigned k, Value pointer, ArrayRef<int64_t> strides) {
  results[k] = pointer;
  points.results[k] = Access();
  points.results[k].strides.assign(strides.begin(), strides.end());
}
void BodyEmitter::addToReductions(unsigned k, Value value, int64_t active) {
  if (reductions)
    reductions->add(k, value, active);
}
// All results are evaluated before the first store: a result may overwrite an input in place.
void BodyEmitter::emitResults(const PointVector &run, ValueRange leading) {
  Values done;
  for (auto [arg, value] : llvm::zip(body().getArguments(), leading))
    done[arg] = value;
  SmallVector<Value> values;
  for (Value value : body().getTerminator()->getOperands())
    values.push_back(evaluate(value, run, done));
  for (auto [k, value] : llvm::enumerate(values))
    storeResult(k, value, run);
}
