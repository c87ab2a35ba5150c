// Decomposition of recurrent layers and cells into tensor code and loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/RecurrentCells.h"
#include "mlir-dialects/Train/Ops/Loops.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

Value Recurrence::block(Value x, int64_t number, int64_t count) {
  RankedTensorType type = tensorOf(x);
  SmallVector<int64_t> from(type.getRank(), 0), sizes(type.getShape()), ones(type.getRank(), 1);
  from.back() = number * s.cells;
  sizes.back() = count * s.cells;
  return b.op<SliceOp>(x, from, sizes, ones);
}

Value Recurrence::fromInput(Value x) {
  RankedTensorType type = tensorOf(x);
  SmallVector<int64_t> shape(type.getShape());
  Value flat = b.reshape(x, type.clone({type.getNumElements() / s.in, s.in}));
  shape.back() = s.gates * s.cells;
  Value sums = plus(product(flat, o.wx), o.bias);
  return b.reshape(sums, RankedTensorType::get(shape, wide));
}

SmallVector<Value> Recurrence::first() {
  auto zeros = [&](int64_t width, Type type) {
    return b.broadcastTo(b.real(0.0, type), RankedTensorType::get({s.batch, width}, type));
  };
  SmallVector<Value> states{o.h0 ? o.h0 : zeros(s.states, element)};
  if (s.gates == 4)
    states.push_back(o.c0 ? widened(o.c0) : zeros(s.cells, wide));
  return states;
}

SmallVector<Value> Elman::next(Value fromX, ArrayRef<Value> before) {
  Value sums = b.add(fromX, product(before[0], o.wh));
  Value h = activation == RnnActivation::relu ? b.op<ReluOp>(sums) : tanh(sums);
  return {b.castTo(h, element)};
}

Gru::Gru(GradBuilder &b, const LayerOperands &o, const LayerSizes &s, bool resetAfter,
         StringRef gates)
    : Recurrence(b, o, s), resetAfter(resetAfter), r(gates.find('r')), z(gates.find('z')),
      gateWeights(o.wh) {
  if (resetAfter)
    return;
  gateWeights = block(o.wh, 0, 2);
  resetWeights = block(o.wh, 2);
}

Value Gru::newFromState(Value h, Value r, Value fromH) {
  if (resetAfter)
    return b.mul(r, plus(block(fromH, 2), o.biasH ? block(o.biasH, 2) : Value()));
  Value reset = b.castTo(b.mul(r, widened(h)), element);
  return plus(product(reset, resetWeights), o.biasH ? block(o.biasH, 2) : Value());
}

// h' = n + z (h - n)
SmallVector<Value> Gru::next(Value fromX, ArrayRef<Value> before) {
  Value h = before[0], fromH = product(h, gateWeights);
  auto gate = [&](int64_t number) {
    Value state = plus(block(fromH, number), o.biasH ? block(o.biasH, number) : Value());
    return sigmoid(b.add(block(fromX, number), state));
  };
  Value n = tanh(b.add(block(fromX, 2), newFromState(h, gate(r), fromH)));
  return {b.castTo(b.add(n, b.mul(gate(z), b.sub(widened(h), n))), element)};
}

Value Lstm::gate(char letter, Value sums, Value state) {
  Value columns = block(sums, gates.find(letter));
  if (!o.peepholes)
    return columns;
  int64_t at = gates.find(letter), without = gates.find('g');
  Value peephole = block(o.peepholes, at - (without < at));
  return b.add(columns, b.mul(widened(peephole), state));
}

// c' = f c + i g: rounded to 16 bits in every round, c would drift. Later passes keep the type.
Value Lstm::cellState(Value sums, Value before) {
  Value i = sigmoid(gate('i', sums, before)), f = sigmoid(gate('f', sums, before));
  Value g = tanh(block(sums, gates.find('g')));
  Type compute = b.compute;
  b.compute = wide;
  Value c = b.add(b.mul(f, before), b.mul(i, g));
  b.compute = compute;
  return c;
}

SmallVector<Value> Lstm::next(Value fromX, ArrayRef<Value> before) {
  Value sums = b.add(fromX, product(before[0], o.wh));
  Value c = cellState(sums, before[1]);
  Value h = b.castTo(b.mul(sigmoid(gate('o', sums, c)), tanh(c)), element);
  if (o.projection)
    h = b.castTo(product(h, o.projection), element);
  return {h, c};
}

/// Stays `before` in rows of the batch whose sequence has ended.
static SmallVector<Value> whereLive(GradBuilder &b, Value live, ArrayRef<Value> after,
                                    ArrayRef<Value> before) {
  return llvm::map_to_vector(llvm::zip(after, before), [&](auto pair) {
    return b.select(live, std::get<0>(pair), std::get<1>(pair));
  });
}

/// Ends the round with the states and h; `index` is the number of the row, null without lengths.
static void buildRound(GradBuilder &b, Recurrence &cell, const LayerOperands &o, ScanOp scan) {
  SmallVector<Value> before(scan.getCarried());
  SmallVector<Value> after = cell.next(scan.getRows()[0], before);
  Value kept = after[0];
  if (o.lengths) {
    Value live = b.columnOf(b.compare(ComparePredicate::lt, scan.getIndex(), o.lengths));
    kept = b.select(live, kept, b.real(0.0, kept));
    after = whereLive(b, live, after, before);
  }
  b.stamp(NextOp::create(b.builder, b.loc, after, ValueRange(kept)));
}

/// The loop of a layer over x, [time, batch, in]: the states of all rounds, then the last states.
static SmallVector<Value> buildLoop(GradBuilder &b, Recurrence &cell, const LayerOperands &o,
                                    Value x, bool reverse) {
  SmallVector<Value> inits = cell.first(), sequences{cell.fromInput(x)};
  int64_t rounds = tensorOf(x).getDimSize(0);
  SmallVector<Type> types = llvm::map_to_vector(inits, [](Value v) { return v.getType(); });
  types.push_back(stackOf(inits[0].getType(), rounds));
  auto scan = ScanOp::create(b.builder, b.loc, types, inits, sequences, IntegerAttr(), reverse,
                             o.lengths != nullptr, IntegerAttr());
  b.stamp(scan);
  Block &body = scan.getBody().emplaceBlock();
  if (o.lengths)
    body.addArgument(RankedTensorType::get({}, b.builder.getI32Type()), b.loc);
  for (Value init : inits)
    body.addArgument(init.getType(), b.loc);
  body.addArgument(rowOf(sequences[0].getType()), b.loc);
  OpBuilder::InsertionGuard guard(b.builder);
  b.builder.setInsertionPointToStart(&body);
  buildRound(b, cell, o, scan);
  SmallVector<Value> results{scan->getResults().back()};
  llvm::append_range(results, scan->getResults().drop_back());
  return results;
}

SmallVector<Value> train::buildLayer(GradBuilder &b, Recurrence &cell, const LayerOperands &o,
                                     bool reverse, bool batchFirst) {
  Type element = tensorOf(o.x).getElementType();
  auto swapped = [&](Value v) { return batchFirst ? b.transpose(v, {1, 0, 2}) : v; };
  SmallVector<Value> results = buildLoop(b, cell, o, swapped(o.x), reverse);
  results[0] = swapped(results[0]);
  results.back() = b.castTo(results.back(), element);
  return results;
}

SmallVector<Value> train::buildCell(GradBuilder &b, Recurrence &cell, const LayerOperands &o) {
  SmallVector<Value> states = cell.next(cell.fromInput(o.x), cell.first());
  states.back() = b.castTo(states.back(), tensorOf(o.x).getElementType());
  return states;
}
