// Shared parts of plain loops: points, bodies, loops and scalars.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/PlainLoops.h"
#include "mlir-dialects/SourceWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

Points::~Points() = default;
void SequentialPoints::forEach(ArrayRef<int64_t> sizes, Body body) {
  forPoints(e, sizes, [&](ArrayRef<Value> dims) { body(e, pointers, dims); });
}

Body::Body(LoopEmitter &e, FusedKernelOpInterface op, const KernelPointers &pointers,
           IterationSpace space)
    : e(e), op(op), inputs(ArrayRef(pointers.operands).take_back(op.getInputMaps().size())),
      results(pointers.results), points(std::move(space)) {}

Value Body::evaluate(Value value, ArrayRef<Value> dims, Values &known) {
  if (Value found = known.lookup(value))
    return found;
  SourceWalk().visit(
      value, [&](Value source) { return !known.contains(source); },
      [&](Value source) { define(source, dims, known); });
  return known.lookup(value);
}

/// Emits the op of a value whose operands are emitted.
void Body::define(Value value, ArrayRef<Value> dims, Values &known) {
  if (known.contains(value)) // emitted with another result of its op
    return;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned i = argument.getArgNumber() - op.getNumLeadingArguments();
    Value position = target::position(e, points.inputs[i], dims);
    known[value] = e.loadScalar(inputs[i], argument.getType(), position);
    return;
  }
  Operation *def = value.getDefiningOp();
  auto number = [&](Value index) {
    return arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), index);
  };
  if (isa<kernel::RowIndexOp, kernel::LinearIndexOp>(def)) {
    known[value] = number(isa<kernel::RowIndexOp>(def) ? dims.back() : at(e, points.sizes, dims));
    return;
  }
  IRMapping operands;
  for (Value operand : def->getOperands())
    operands.map(operand, known.lookup(operand));
  Operation *made = e.b.clone(*def, operands);
  for (auto [from, to] : llvm::zip(def->getResults(), made->getResults()))
    known[from] = to;
}

SmallVector<Value> Body::yields(ArrayRef<Value> dims, Values &known) {
  return llvm::map_to_vector(block().getTerminator()->getOperands(),
                             [&](Value value) { return evaluate(value, dims, known); });
}
void Body::store(unsigned result, Value value, ArrayRef<Value> dims) {
  e.storeScalar(value, results[result], target::position(e, points.results[result], dims));
}
void Body::finish(ArrayRef<Value> dims, Value sum) {
  Values known;
  known[block().getArgument(0)] = sum;
  for (auto [k, value] : llvm::enumerate(yields(dims, known)))
    store(k, value, dims);
}

static void forRest(LoopEmitter &e, ArrayRef<int64_t> sizes, SmallVectorImpl<Value> &dims,
                    llvm::function_ref<void(ArrayRef<Value>)> body) {
  if (dims.size() == sizes.size())
    return body(dims);
  e.loop(e.index(0), e.index(sizes[dims.size()]), 1, [&](Value i) {
    dims.push_back(i);
    forRest(e, sizes, dims, body);
    dims.pop_back();
  });
}
void target::forPoints(LoopEmitter &e, ArrayRef<int64_t> sizes,
                       llvm::function_ref<void(ArrayRef<Value>)> body) {
  SmallVector<Value> dims;
  forRest(e, sizes, dims, body);
}

static Value accumulateRest(LoopEmitter &e, ArrayRef<int64_t> sizes, SmallVectorImpl<Value> &dims,
                            Value start, llvm::function_ref<Value(ArrayRef<Value>, Value)> next) {
  if (dims.size() == sizes.size())
    return next(dims, start);
  auto body = [&](Value i, ValueRange sum) -> SmallVector<Value> {
    dims.push_back(i);
    Value result = accumulateRest(e, sizes, dims, sum[0], next);
    dims.pop_back();
    return {result};
  };
  return e.loop(e.index(0), e.index(sizes[dims.size()]), 1, start, body)[0];
}
Value target::accumulate(LoopEmitter &e, ArrayRef<int64_t> sizes, Value start,
                         llvm::function_ref<Value(ArrayRef<Value>, Value)> next) {
  SmallVector<Value> dims;
  return accumulateRest(e, sizes, dims, start, next);
}

Value target::multiplyAdd(LoopEmitter &e, Value sum, Value x, Value y, bool fused) {
  if (fused)
    return math::FmaOp::create(e.b, e.loc, x, y, sum);
  Value product = arith::MulFOp::create(e.b, e.loc, x, y);
  return arith::AddFOp::create(e.b, e.loc, sum, product);
}
Value target::widen(LoopEmitter &e, Value x, Type type) {
  return x.getType() == type ? x : arith::ExtFOp::create(e.b, e.loc, type, x).getResult();
}
Value target::narrow(LoopEmitter &e, Value x, Type type) {
  return x.getType() == type ? x : arith::TruncFOp::create(e.b, e.loc, type, x).getResult();
}
// Unsigned comparison: a negative number is a large number without its sign.
Value target::within(LoopEmitter &e, Value x, int64_t limit) {
  return e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::ult, x, e.index(limit));
}
Value target::equal(LoopEmitter &e, Value x, Value y) {
  return e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::eq, x, y);
}
Value target::both(LoopEmitter &e, Value x, Value y) {
  return e.b.createOrFold<arith::AndIOp>(e.loc, x, y);
}
Value target::negate(LoopEmitter &e, Value condition) {
  return arith::XOrIOp::create(e.b, e.loc, condition, e.constant(e.b.getI1Type(), 1));
}
Value target::select(LoopEmitter &e, Value condition, Value x, Value y) {
  return e.b.createOrFold<arith::SelectOp>(e.loc, condition, x, y);
}
Value target::at(LoopEmitter &e, ArrayRef<int64_t> shape, ArrayRef<Value> dims) {
  Value position = e.index(0);
  for (auto [size, dim] : llvm::zip(shape, dims))
    position = e.add(e.mul(position, size), dim);
  return position;
}
Value target::loadIndex(LoopEmitter &e, Value base, Value i) {
  return e.asIndex(e.loadScalar(base, e.b.getI32Type(), i));
}
void target::storeIndex(LoopEmitter &e, Value number, Value base, Value i) {
  e.storeScalar(arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), number), base, i);
}

SmallVector<SmallVector<kernel::RowReduceOp>> target::reductionsByStage(Block &body) {
  SmallVector<SmallVector<kernel::RowReduceOp>> reductions;
  DenseMap<Value, unsigned> finished; // number of stages before a value is known
  for (Operation &op : body) {
    unsigned stage = 0;
    for (Value operand : op.getOperands())
      stage = std::max(stage, finished.lookup(operand));
    if (auto reduce = dyn_cast<kernel::RowReduceOp>(op)) {
      reductions.resize(std::max<size_t>(reductions.size(), stage + 1));
      reductions[stage++].push_back(reduce);
    }
    for (Value result : op.getResults())
      finished[result] = stage;
  }
  return reductions;
}
