// Recurrent layers and cells: types and text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/RecurrentCells.h"
#include "mlir-dialects/Train/Text/Syntax.h"
#include <tuple>

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

static constexpr StringRef gruGates = "rzn", lstmGates = "ifgo";

// ---- Types ----

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

/// Sizes from x, Wx and Wh: [batch, in], [in, gates H] and [P, gates H]; a layer's x has a
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
    return emitOptionalError(loc, "expected initial states h and c, but got one of the two");
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

// ---- Ops ----

/// Operands of an op, or of an adaptor while types are inferred.
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
/// Operands and their types, in turn; absent operands have no type in the text.
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
    addRecordedOperations<RnnOp, RnnCellOp, GruOp, GruCellOp, LstmOp, LstmCellOp>(*dialect);
  });
}
