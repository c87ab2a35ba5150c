// Bodies, loops and numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/Reference/PlainLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;

const Writer *reference::findWriter(Operation *op) {
  static const Writers all = [] {
    Writers writers;
    addFusedWriters(writers);
    addConvWriters(writers);
    addPoolWriters(writers);
    addRowWriters(writers);
    addAttentionWriters(writers);
    addTotalsWriter(writers);
    return writers;
  }();
  auto found = all.find(op->getName().getStringRef());
  return found == all.end() ? nullptr : &found->second;
}

Body::Body(LoopEmitter &e, FusedKernelOpInterface op, const KernelPointers &pointers)
    : e(e), op(op), inputs(ArrayRef(pointers.operands).take_back(op.getInputMaps().size())),
      results(pointers.results), points(target::IterationSpace::of(op)) {}

Value Body::evaluate(Value value, ArrayRef<Value> dims, Values &known) {
  if (Value found = known.lookup(value))
    return found;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned i = argument.getArgNumber() - op.getNumLeadingArguments();
    Value position = target::position(e, points.inputs[i], dims);
    return known[value] = e.loadScalar(inputs[i], argument.getType(), position);
  }
  Operation *def = value.getDefiningOp();
  auto number = [&](Value index) {
    return arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), index);
  };
  if (isa<kernel::RowIndexOp>(def))
    return known[value] = number(dims.back());
  if (isa<kernel::LinearIndexOp>(def))
    return known[value] = number(at(e, points.sizes, dims));
  IRMapping operands;
  for (Value operand : def->getOperands())
    operands.map(operand, evaluate(operand, dims, known));
  Operation *made = e.b.clone(*def, operands);
  for (auto [from, to] : llvm::zip(def->getResults(), made->getResults()))
    known[from] = to;
  return known[value];
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
void reference::forPoints(LoopEmitter &e, ArrayRef<int64_t> sizes,
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
Value reference::accumulate(LoopEmitter &e, ArrayRef<int64_t> sizes, Value start,
                            llvm::function_ref<Value(ArrayRef<Value>, Value)> next) {
  SmallVector<Value> dims;
  return accumulateRest(e, sizes, dims, start, next);
}

Value reference::multiplyAdd(LoopEmitter &e, Value sum, Value x, Value y) {
  Value product = arith::MulFOp::create(e.b, e.loc, x, y);
  return arith::AddFOp::create(e.b, e.loc, sum, product);
}
Value reference::widen(LoopEmitter &e, Value x, Type type) {
  return x.getType() == type ? x : arith::ExtFOp::create(e.b, e.loc, type, x).getResult();
}
Value reference::narrow(LoopEmitter &e, Value x, Type type) {
  return x.getType() == type ? x : arith::TruncFOp::create(e.b, e.loc, type, x).getResult();
}
// A negative number is a large one without its sign.
Value reference::within(LoopEmitter &e, Value x, int64_t limit) {
  return e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::ult, x, e.index(limit));
}
Value reference::equal(LoopEmitter &e, Value x, Value y) {
  return e.b.createOrFold<arith::CmpIOp>(e.loc, arith::CmpIPredicate::eq, x, y);
}
Value reference::both(LoopEmitter &e, Value x, Value y) {
  return e.b.createOrFold<arith::AndIOp>(e.loc, x, y);
}
Value reference::select(LoopEmitter &e, Value condition, Value x, Value y) {
  return e.b.createOrFold<arith::SelectOp>(e.loc, condition, x, y);
}
Value reference::at(LoopEmitter &e, ArrayRef<int64_t> shape, ArrayRef<Value> dims) {
  Value position = e.index(0);
  for (auto [size, dim] : llvm::zip(shape, dims))
    position = e.add(e.mul(position, size), dim);
  return position;
}
