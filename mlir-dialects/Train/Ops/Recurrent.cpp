// Recurrent layers and cells: types, text and decompositions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Recurrent.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/Syntax.h"
#include <tuple>

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

static constexpr StringRef gruGates = "rzn", lstmGates = "ifgo";

// ---- Types ----

namespace {
/// LayerOperands of a layer or cell; null: absent.
struct LayerOperands {
  Value x, wx, wh, bias, biasH, h0, c0, lengths, projection, peepholes;
};
/// LayerSizes of a layer or cell; `time` is 1 in a cell.
struct LayerSizes {
  int64_t time, batch, in;
  int64_t cells;  ///< H: columns of a gate
  int64_t states; ///< P: columns of h
  int64_t gates;
};
} // namespace

/// Whether the value is absent, or a tensor of this shape with elements of `like`.
static bool isOrAbsent(Value v, ArrayRef<int64_t> shape, Type element) {
  auto type = v ? tensorOf(v.getType()) : RankedTensorType();
  return !v || (type && type.getShape() == shape && type.getElementType() == element);
}

static LogicalResult checkOperand(std::optional<Location> loc, Value v, StringRef name,
                                  ArrayRef<int64_t> shape, Type element) {
  if (isOrAbsent(v, shape, element))
    return success();
  return emitOptionalError(loc, "expected ", name, " of type ",
                           RankedTensorType::get(shape, element), ", but got ", v.getType());
}

/// LayerSizes from x, Wx and Wh: [batch, in], [in, gates H] and [P, gates H]; a layer's x has a
/// dimension of rounds in front of the batch, or behind.
static FailureOr<LayerSizes> sizesOf(std::optional<Location> loc, const LayerOperands &o,
                                     int64_t gates, bool isLayer, bool batchFirst) {
  auto x = tensorOf(o.x.getType()), wx = tensorOf(o.wx.getType()), wh = tensorOf(o.wh.getType());
  int64_t rank = isLayer ? 3 : 2;
  if (x.getRank() != rank)
    return emitOptionalError(loc, "expected an input of ", rank, " dimensions, but got ", x);
  ArrayRef<int64_t> shape = x.getShape();
  // H of the message follows from the columns that are there.
  int64_t columns = wx.getRank() == 2 ? wx.getDimSize(1) : 1;
  int64_t cells = std::max<int64_t>(columns / gates, 1);
  auto wanted = x.clone({shape.back(), gates * cells});
  if (wx != wanted)
    return emitOptionalError(loc, "expected weights of the input of type ", wanted, ", ", gates,
                             " blocks of columns, but got ", wx);
  int64_t states = o.projection && wh.getRank() == 2 ? wh.getDimSize(0) : cells;
  if (wh != x.clone({states, gates * cells}))
    return emitOptionalError(loc, "expected weights of the state of type ",
                             x.clone({states, gates * cells}), ", but got ", wh);
  return LayerSizes{isLayer ? shape[batchFirst ? 1 : 0] : 1,
                    shape[isLayer && !batchFirst ? 1 : 0],
                    shape.back(),
                    cells,
                    wh.getDimSize(0),
                    gates};
}

static LogicalResult checkOperands(std::optional<Location> loc, const LayerOperands &o,
                                   const LayerSizes &s) {
  Type element = tensorOf(o.x.getType()).getElementType();
  Type i32 = IntegerType::get(element.getContext(), 32);
  return failure(
      failed(checkOperand(loc, o.bias, "a bias", {s.gates * s.cells}, element)) ||
      failed(checkOperand(loc, o.biasH, "a bias of the state", {s.gates * s.cells}, element)) ||
      failed(checkOperand(loc, o.h0, "an initial state", {s.batch, s.states}, element)) ||
      failed(checkOperand(loc, o.c0, "an initial cell state", {s.batch, s.cells}, element)) ||
      failed(checkOperand(loc, o.lengths, "lengths", {s.batch}, i32)) ||
      failed(checkOperand(loc, o.projection, "a projection", {s.cells, s.states}, element)) ||
      failed(checkOperand(loc, o.peepholes, "peepholes", {3 * s.cells}, element)));
}

/// Results: of a layer the states of all rounds, then h and, of an LSTM, c.
static LogicalResult inferStates(std::optional<Location> loc, const LayerOperands &o, int64_t gates,
                                 bool isLayer, bool batchFirst, SmallVectorImpl<Type> &types) {
  if (gates == 4 && !o.h0 != !o.c0)
    return emitOptionalError(loc, "expected initial states h and c, but got one of them");
  if (o.biasH && !o.bias)
    return emitOptionalError(loc, "expected a bias beside the bias of the state");
  FailureOr<LayerSizes> s = sizesOf(loc, o, gates, isLayer, batchFirst);
  if (failed(s) || failed(checkOperands(loc, o, *s)))
    return failure();
  auto x = tensorOf(o.x.getType());
  if (isLayer) {
    SmallVector<int64_t> shape(x.getShape());
    shape.back() = s->states;
    types.push_back(x.clone(shape));
  }
  types.push_back(x.clone({s->batch, s->states}));
  if (gates == 4)
    types.push_back(x.clone({s->batch, s->cells}));
  return success();
}

/// Gates in the order of the letters of `usual`, or another order of these letters.
static StringRef gatesOr(std::optional<StringRef> gates, StringRef usual) {
  return gates.value_or(usual);
}

static LogicalResult verifyLstmGates(Operation *op, StringRef gates) {
  std::string sorted(gates);
  llvm::sort(sorted);
  if (sorted == "fgio")
    return success();
  return op->emitOpError() << "expected gates with the letters i, f, g and o, but got \"" << gates
                           << "\"";
}

static LogicalResult verifyGruGates(Operation *op, StringRef gates) {
  if (gates == "rzn" || gates == "zrn")
    return success();
  return op->emitOpError() << "expected gates \"rzn\" or \"zrn\", but got \"" << gates << "\"";
}

LogicalResult LstmOp::verify() { return verifyLstmGates(*this, gatesOr(getGates(), lstmGates)); }
LogicalResult LstmCellOp::verify() {
  return verifyLstmGates(*this, gatesOr(getGates(), lstmGates));
}
LogicalResult GruOp::verify() { return verifyGruGates(*this, gatesOr(getGates(), gruGates)); }
LogicalResult GruCellOp::verify() { return verifyGruGates(*this, gatesOr(getGates(), gruGates)); }

// ---- Decomposition ----

namespace {
/// Tensor code of one layer or cell. States are computed in `wide`, f32 at least, and passed on in
/// the element type, but for c.
class Recurrence {
public:
  Recurrence(GradBuilder &b, const LayerOperands &o, const LayerSizes &s)
      : b(b), o(o), s(s), element(tensorOf(o.x).getElementType()), wide(accumulatorOf(element)) {}
  virtual ~Recurrence() = default;

  /// x Wx + bias of all rounds, [..., gates H], in the wide type.
  Value fromInput(Value x);
  /// States of the next round from `before` and the round's row of fromInput.
  virtual SmallVector<Value> next(Value fromX, ArrayRef<Value> before) = 0;
  /// First states; zeros where the op has none. c is wide.
  SmallVector<Value> first();

protected:
  /// Columns [number * H, (number + 1) * H) of the last dimension.
  Value block(Value x, int64_t number, int64_t count = 1);
  Value widened(Value v) { return v ? b.castTo(v, wide) : Value(); }
  Value plus(Value x, Value bias) { return bias ? b.add(x, widened(bias)) : x; }
  /// h W in the wide type.
  Value product(Value h, Value weight) { return b.matmul(h, weight, false, false, wide); }
  Value sigmoid(Value x) { return b.op<SigmoidOp>(x); }
  Value tanh(Value x) { return b.op<TanhOp>(x); }

  GradBuilder &b;
  LayerOperands o;
  LayerSizes s;
  Type element, wide;
};

class Elman final : public Recurrence {
public:
  Elman(GradBuilder &b, const LayerOperands &o, const LayerSizes &s, RnnActivation activation)
      : Recurrence(b, o, s), activation(activation) {}
  SmallVector<Value> next(Value fromX, ArrayRef<Value> before) override;

private:
  RnnActivation activation;
};

class Gru final : public Recurrence {
public:
  Gru(GradBuilder &b, const LayerOperands &o, const LayerSizes &s, bool resetAfter,
      StringRef gates);
  SmallVector<Value> next(Value fromX, ArrayRef<Value> before) override;

private:
  /// The product with the state of n's gate.
  Value newFromState(Value h, Value r, Value fromH);

  bool resetAfter;
  int64_t r, z;       ///< blocks; n's is the last
  Value gateWeights;  ///< of r and z, or of all gates with reset_after
  Value resetWeights; ///< of n, without reset_after
};

class Lstm final : public Recurrence {
public:
  Lstm(GradBuilder &b, const LayerOperands &o, const LayerSizes &s, StringRef gates)
      : Recurrence(b, o, s), gates(gates) {}
  SmallVector<Value> next(Value fromX, ArrayRef<Value> before) override;

private:
  /// Columns of a gate before its function, with the part of the cell state.
  Value gate(char letter, Value sums, Value state);
  Value cellState(Value sums, Value before);

  StringRef gates;
};
} // namespace

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

/// Results of a layer; c is rounded to the element type.
static SmallVector<Value> buildLayer(GradBuilder &b, Recurrence &cell, const LayerOperands &o,
                                     bool reverse, bool batchFirst) {
  Type element = tensorOf(o.x).getElementType();
  auto swapped = [&](Value v) { return batchFirst ? b.transpose(v, {1, 0, 2}) : v; };
  SmallVector<Value> results = buildLoop(b, cell, o, swapped(o.x), reverse);
  results[0] = swapped(results[0]);
  results.back() = b.castTo(results.back(), element);
  return results;
}

static SmallVector<Value> buildCell(GradBuilder &b, Recurrence &cell, const LayerOperands &o) {
  SmallVector<Value> states = cell.next(cell.fromInput(o.x), cell.first());
  states.back() = b.castTo(states.back(), tensorOf(o.x).getElementType());
  return states;
}

// ---- Ops ----

/// LayerOperands of an op, or of an adaptor while types are inferred.
template <typename A> static LayerOperands rnnOperands(A a, Value lengths = {}) {
  return {a.getX(), a.getWx(), a.getWh(), a.getBias(), {}, a.getH0(), {}, lengths, {}, {}};
}
template <typename A> static LayerOperands gruOperands(A a, Value lengths = {}) {
  return {a.getX(),  a.getWx(), a.getWh(), a.getBias(), a.getBiasH(),
          a.getH0(), {},        lengths,   {},          {}};
}
template <typename A> static LayerOperands lstmOperands(A a, Value lengths = {}) {
  return {a.getX(),  a.getWx(), a.getWh(), a.getBias(),       {},
          a.getH0(), a.getC0(), lengths,   a.getProjection(), a.getPeepholes()};
}

static LayerSizes layerSizes(const LayerOperands &o, int64_t gates, bool batchFirst) {
  return *sizesOf(std::nullopt, o, gates, /*isLayer=*/true, batchFirst);
}
static LayerSizes cellSizes(const LayerOperands &o, int64_t gates) {
  return *sizesOf(std::nullopt, o, gates, /*isLayer=*/false, false);
}

/// Fans of Wx, Wh and the projection.
static std::optional<Fans> fansOf(Operation *op, unsigned operand, Value projection) {
  Value v = op->getOperand(operand);
  if (operand != 1 && operand != 2 && v != projection)
    return std::nullopt;
  ArrayRef<int64_t> shape = tensorOf(v).getShape();
  return Fans{shape[0], shape[1]};
}

/// Rows of x and of the states stay apart unless a weight has rows of the batch.
static bool keepsRows(const LayerOperands &o, IsBatched isBatched) {
  return llvm::none_of(ArrayRef<Value>({o.wx, o.wh, o.bias, o.biasH, o.projection, o.peepholes}),
                       [&](Value weight) { return weight && isBatched(weight); });
}

LogicalResult RnnOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                      SmallVectorImpl<Type> &types) {
  return inferStates(loc, rnnOperands(a, a.getLengths()), 1, true, a.getBatchFirst(), types);
}
LogicalResult GruOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                      SmallVectorImpl<Type> &types) {
  return inferStates(loc, gruOperands(a, a.getLengths()), 3, true, a.getBatchFirst(), types);
}
LogicalResult LstmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                       SmallVectorImpl<Type> &types) {
  return inferStates(loc, lstmOperands(a, a.getLengths()), 4, true, a.getBatchFirst(), types);
}
LogicalResult RnnCellOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                          SmallVectorImpl<Type> &types) {
  return inferStates(loc, rnnOperands(a), 1, false, false, types);
}
LogicalResult GruCellOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                          SmallVectorImpl<Type> &types) {
  return inferStates(loc, gruOperands(a), 3, false, false, types);
}
LogicalResult LstmCellOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                           SmallVectorImpl<Type> &types) {
  return inferStates(loc, lstmOperands(a), 4, false, false, types);
}

std::optional<Fans> RnnOp::getFans(unsigned operand) { return fansOf(*this, operand, {}); }
std::optional<Fans> RnnCellOp::getFans(unsigned operand) { return fansOf(*this, operand, {}); }
std::optional<Fans> GruOp::getFans(unsigned operand) { return fansOf(*this, operand, {}); }
std::optional<Fans> GruCellOp::getFans(unsigned operand) { return fansOf(*this, operand, {}); }
std::optional<Fans> LstmOp::getFans(unsigned operand) {
  return fansOf(*this, operand, getProjection());
}
std::optional<Fans> LstmCellOp::getFans(unsigned operand) {
  return fansOf(*this, operand, getProjection());
}

bool RnnCellOp::keepsLeadingDimension(IsBatched isBatched) {
  return keepsRows(rnnOperands(*this), isBatched);
}
bool GruCellOp::keepsLeadingDimension(IsBatched isBatched) {
  return keepsRows(gruOperands(*this), isBatched);
}
bool LstmCellOp::keepsLeadingDimension(IsBatched isBatched) {
  return keepsRows(lstmOperands(*this), isBatched);
}

SmallVector<Value> RnnOp::decompose(GradBuilder &b) {
  LayerOperands o = rnnOperands(*this, getLengths());
  Elman cell(b, o, layerSizes(o, 1, getBatchFirst()), getActivation());
  return buildLayer(b, cell, o, getReverse(), getBatchFirst());
}
SmallVector<Value> GruOp::decompose(GradBuilder &b) {
  LayerOperands o = gruOperands(*this, getLengths());
  Gru cell(b, o, layerSizes(o, 3, getBatchFirst()), getResetAfter(), gatesOr(getGates(), gruGates));
  return buildLayer(b, cell, o, getReverse(), getBatchFirst());
}
SmallVector<Value> LstmOp::decompose(GradBuilder &b) {
  LayerOperands o = lstmOperands(*this, getLengths());
  Lstm cell(b, o, layerSizes(o, 4, getBatchFirst()), gatesOr(getGates(), lstmGates));
  return buildLayer(b, cell, o, getReverse(), getBatchFirst());
}
SmallVector<Value> RnnCellOp::decompose(GradBuilder &b) {
  LayerOperands o = rnnOperands(*this);
  Elman cell(b, o, cellSizes(o, 1), getActivation());
  return buildCell(b, cell, o);
}
SmallVector<Value> GruCellOp::decompose(GradBuilder &b) {
  LayerOperands o = gruOperands(*this);
  Gru cell(b, o, cellSizes(o, 3), getResetAfter(), gatesOr(getGates(), gruGates));
  return buildCell(b, cell, o);
}
SmallVector<Value> LstmCellOp::decompose(GradBuilder &b) {
  LayerOperands o = lstmOperands(*this);
  Lstm cell(b, o, cellSizes(o, 4), gatesOr(getGates(), lstmGates));
  return buildCell(b, cell, o);
}

// ---- Text ----

template <typename Pairs, size_t... i>
static ParseResult parsePairs(OpAsmParser &parser, Pairs pairs, std::index_sequence<i...>) {
  return parseSlots(parser, {Slot(std::get<2 * i>(pairs), std::get<2 * i + 1>(pairs))...});
}
/// LayerOperands and their types, in turn; absent operands have no type in the text.
template <typename... OperandsAndTypes>
static ParseResult parseLayerTypes(OpAsmParser &parser, OperandsAndTypes &&...all) {
  return parsePairs(parser, std::forward_as_tuple(all...),
                    std::make_index_sequence<sizeof...(all) / 2>());
}
template <typename... OperandsAndTypes>
static void printLayerTypes(OpAsmPrinter &p, Operation *op, const OperandsAndTypes &...all) {
  printTypes(p, op, all...);
}

#include "mlir-dialects/Train/RecurrentEnums.cpp.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Train/RecurrentOps.cpp.inc"

void ampc::registerRecurrentOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TrainDialect *dialect) {
    addNotedOperations<RnnOp, RnnCellOp, GruOp, GruCellOp, LstmOp, LstmCellOp>(*dialect);
  });
}
