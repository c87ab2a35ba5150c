// Elements along a dimension by number and in order: types, verifiers, parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Ops/Indexing.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/Syntax.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

#include "mlir-dialects/Train/IndexingEnums.cpp.inc"

// ---- Types ----

/// A tensor with a dimension of that number, and elements that i32 counts.
static LogicalResult checkDimension(std::optional<Location> loc, Type x, int64_t dim) {
  if (failed(inferDimension(loc, x, dim)))
    return failure();
  auto type = tensorOf(x);
  int64_t count = 1;
  for (int64_t size : type.getShape()) {
    auto all = productOf(count, size);
    if (!all || *all > std::numeric_limits<int32_t>::max())
      return emitOptionalError(loc, "expected less than 2^31 elements, but got ", type);
    count = *all;
  }
  return success();
}

/// An index per element of lines of the tensor.
static LogicalResult checkIndex(std::optional<Location> loc, Type x, Type index, int64_t dim) {
  if (failed(checkDimension(loc, x, dim)))
    return failure();
  auto type = tensorOf(x), at = tensorOf(index);
  SmallVector<int64_t> expected(type.getShape());
  if (at && at.getRank() == type.getRank())
    expected[dim] = at.getDimSize(dim);
  if (!at || at.getShape() != ArrayRef(expected) || expected[dim] < 1)
    return emitOptionalError(loc, "expected an index that differs from ", type,
                             " only in the size of dimension ", dim, ", but got ", index);
  return checkDimension(loc, at, dim);
}

LogicalResult TakeAlongAxisOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                                Adaptor a, SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType(), index = a.getIndex().getType();
  if (failed(checkIndex(loc, x, index, a.getDim())))
    return failure();
  types.push_back(tensorOf(x).clone(tensorOf(index).getShape()));
  return success();
}
bool TakeAlongAxisOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }

LogicalResult AddAlongAxisOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                               Adaptor a, SmallVectorImpl<Type> &types) {
  if (failed(checkDimension(loc, a.getUpdates().getType(), a.getDim())))
    return failure();
  auto updates = tensorOf(a.getUpdates().getType()), index = tensorOf(a.getIndex().getType());
  if (!index || updates.getShape() != index.getShape())
    return emitOptionalError(loc, "expected an index per update of ", updates, ", but got ",
                             a.getIndex().getType());
  if (a.getOf() < 1)
    return emitOptionalError(loc, "expected a size of at least 1, but got ", a.getOf());
  SmallVector<int64_t> shape(updates.getShape());
  shape[a.getDim()] = a.getOf();
  types.push_back(updates.clone(shape));
  return checkDimension(loc, types.back(), a.getDim());
}
bool AddAlongAxisOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }

LogicalResult ArgsortOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                          SmallVectorImpl<Type> &types) {
  auto type = tensorOf(a.getX().getType());
  if (failed(checkDimension(loc, a.getX().getType(), type ? type.getRank() - 1 : 0)))
    return failure();
  types.push_back(type.clone(IntegerType::get(type.getContext(), 32)));
  return success();
}
LogicalResult ArgsortOp::verify() {
  if (!getBelow())
    return success();
  if (*getBelow() < 1 || *getBelow() > std::numeric_limits<int32_t>::max())
    return emitOpError() << "expected a limit from 1 to 2^31 - 1, but got " << *getBelow();
  if (!getX().getType().getElementType().isInteger(32) || getDescending())
    return emitOpError() << "expected i32 in ascending order below a limit, but got "
                         << getX().getType();
  return success();
}
bool ArgsortOp::keepsLeadingDimension(IsBatched) { return getX().getType().getRank() > 1; }

static LogicalResult inferOrder(std::optional<Location> loc, Type x, int64_t dim,
                                std::optional<int64_t> k, SmallVectorImpl<Type> &types) {
  if (failed(checkDimension(loc, x, dim)))
    return failure();
  auto type = tensorOf(x);
  SmallVector<int64_t> shape(type.getShape());
  if (k && (*k < 1 || *k > shape[dim]))
    return emitOptionalError(loc, "expected a number of elements from 1 to ", shape[dim],
                             ", but got ", *k);
  shape[dim] = k.value_or(shape[dim]);
  types.push_back(type.clone(shape));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(type.getContext(), 32)));
  return success();
}
LogicalResult SortOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                       SmallVectorImpl<Type> &types) {
  return inferOrder(loc, a.getX().getType(), a.getDim(), std::nullopt, types);
}
LogicalResult TopKOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                       SmallVectorImpl<Type> &types) {
  return inferOrder(loc, a.getX().getType(), a.getDim(), a.getK(), types);
}
bool SortOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }
bool TopKOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor a,
                                          SmallVectorImpl<Type> &types) {
  Type x = a.getX().getType(), updates = a.getUpdates().getType();
  if (failed(checkIndex(loc, x, a.getIndex().getType(), a.getDim())))
    return failure();
  Type expected = tensorOf(x).clone(tensorOf(a.getIndex().getType()).getShape());
  if (updates != expected)
    return emitOptionalError(loc, "expected updates of type ", expected, ", but got ", updates);
  types.push_back(x);
  return success();
}
bool ScatterOp::keepsLeadingDimension(IsBatched) { return getDim() != 0; }

// ---- Parts ----

/// Permutation that exchanges a dimension with the last dimension, a self-inverse.
static SmallVector<int64_t> withLast(int64_t dim, int64_t rank) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::swap(order[dim], order[rank - 1]);
  return order;
}

/// Indices of the first `k` elements in sorted order.
static Value firstPlaces(GradBuilder &b, Value x, int64_t k, int64_t dim, bool descending,
                         IntegerAttr below = {}) {
  auto type = tensorOf(x);
  auto order = withLast(dim, type.getRank());
  Value places = b.op<ArgsortOp>(b.transpose(x, order), descending, below);
  SmallVector<int64_t> sizes(tensorOf(places).getShape()), zeros(sizes.size(), 0),
      ones(sizes.size(), 1);
  sizes.back() = k;
  return b.transpose(b.op<SliceOp>(places, zeros, sizes, ones), order);
}
static SmallVector<Value> inOrder(GradBuilder &b, Value x, int64_t k, int64_t dim,
                                  bool descending) {
  Value places = firstPlaces(b, x, k, dim, descending);
  return {b.op<TakeAlongAxisOp>(x, places, dim, /*from_end=*/false), places};
}
SmallVector<Value> SortOp::decompose(GradBuilder &b) {
  return inOrder(b, getX(), tensorOf(getX()).getDimSize(getDim()), getDim(), getDescending());
}
SmallVector<Value> TopKOp::decompose(GradBuilder &b) {
  return inOrder(b, getX(), getK(), getDim(), !getSmallest());
}

namespace {
/// Sorted updates of a scatter along a dimension: updates of equal index form a run. The index may
/// have size 1 in dimensions where all updates share the index.
class UpdateSegments {
public:
  UpdateSegments(GradBuilder &b, Value updates, Value index, int64_t dim)
      : updates(updates), index(index), b(b), dim(dim), count(tensorOf(index).getDimSize(dim)) {}
  /// The last update of every run becomes the combination of all.
  void combine(ScatterMode mode);
  /// Index of the last update of every run; other updates get an index out of range.
  Value indexOfLast();
  Value updates, index;

private:
  /// Shifts elements by `places` (negative: towards the front); `beyond` fills the gap.
  Value from(Value x, int64_t places, double beyond);
  Value combined(ScatterMode mode, Value a, Value c) {
    return mode == ScatterMode::mul   ? b.mul(a, c)
           : mode == ScatterMode::max ? b.op<MaximumOp>(a, c)
                                      : b.op<MinimumOp>(a, c);
  }

  GradBuilder &b;
  int64_t dim, count;
};
} // namespace

Value UpdateSegments::from(Value x, int64_t places, double beyond) {
  SmallVector<int64_t> sizes(tensorOf(x).getShape()), zeros(sizes.size(), 0), ones(sizes.size(), 1),
      start(zeros), pad(zeros);
  pad[dim] = std::abs(places);
  sizes[dim] -= pad[dim];
  start[dim] = places < 0 ? -places : 0;
  Value kept = b.op<SliceOp>(x, start, sizes, ones);
  return b.op<PadOp>(kept, APFloat(beyond), places < 0 ? zeros : pad, places < 0 ? pad : zeros,
                     zeros);
}

/// In steps of doubling distance.
void UpdateSegments::combine(ScatterMode mode) {
  for (int64_t places = 1; places < count; places *= 2) {
    Value isSame = b.compare(ComparePredicate::eq, from(index, places, -1), index);
    updates = b.select(isSame, combined(mode, updates, from(updates, places, 0)), updates);
  }
}

Value UpdateSegments::indexOfLast() {
  if (count == 1)
    return index;
  Value isLast = b.compare(ComparePredicate::ne, from(index, -1, -1), index);
  return b.select(isLast, index, b.real(-1, index));
}

SmallVector<Value> ScatterOp::decompose(GradBuilder &b) {
  Type element = getElementTypeOrSelf(getX()), wide = accumulatorOf(element);
  int64_t dim = getDim(), size = getIndexLimit();
  // Sums and products of 16 bits are f32, and rounded once.
  bool rounds = getMode() == ScatterMode::add || getMode() == ScatterMode::mul;
  Value x = rounds ? b.castTo(getX(), wide) : Value(getX()),
        updates = rounds ? b.castTo(getUpdates(), wide) : Value(getUpdates());
  if (getMode() == ScatterMode::add)
    return {b.castTo(b.add(x, b.op<AddAlongAxisOp>(updates, getIndex(), dim, size)), element)};
  Value order = firstPlaces(b, getIndex(), tensorOf(getIndex()).getDimSize(dim), dim, false,
                            b.builder.getI64IntegerAttr(size));
  UpdateSegments runs(b, b.op<TakeAlongAxisOp>(updates, order, dim, false),
                      b.op<TakeAlongAxisOp>(getIndex(), order, dim, false), dim);
  if (getMode() != ScatterMode::set)
    runs.combine(getMode());
  Value index = runs.indexOfLast(), put = b.op<AddAlongAxisOp>(runs.updates, index, dim, size);
  Value ones = b.broadcastTo(b.real(1, put), runs.updates.getType());
  Value isHit = b.greater(b.op<AddAlongAxisOp>(ones, index, dim, size), b.real(0, put));
  if (getMode() == ScatterMode::mul)
    put = b.mul(x, put);
  else if (getMode() == ScatterMode::max)
    put = b.op<MaximumOp>(x, put);
  else if (getMode() == ScatterMode::min)
    put = b.op<MinimumOp>(x, put);
  return {b.castTo(b.select(isHit, put, x), element)};
}

// ---- Bags of vectors ----

LogicalResult EmbeddingBagOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                               Adaptor a, SmallVectorImpl<Type> &types) {
  auto table = tensorOf(a.getTable().getType()), index = tensorOf(a.getIndex().getType());
  bool isListed = bool(a.getBags());
  if (!table || table.getRank() != 2 || table.getDimSize(0) < 1)
    return emitOptionalError(loc, "expected a table of vectors, but got ", a.getTable().getType());
  if (!index || index.getRank() != (isListed ? 1 : 2))
    return emitOptionalError(loc,
                             "expected an index with a row per bag, or a list of indices with "
                             "their bags, but got ",
                             a.getIndex().getType());
  if (isListed && (a.getOf().value_or(0) < 1))
    return emitOptionalError(loc, "expected at least one bag, but got ", a.getOf().value_or(0));
  types.push_back(table.clone({isListed ? *a.getOf() : index.getDimSize(0), table.getDimSize(1)}));
  return success();
}

LogicalResult EmbeddingBagOp::verify() {
  ArrayRef<int64_t> shape = getIndex().getType().getShape();
  if (bool(getBags()) != getOf().has_value())
    return emitOpError("expected bags and how many there are");
  if (getBags() && tensorOf(getBags()).getShape() != shape)
    return emitOpError() << "expected a bag per index of " << getIndex().getType() << ", but got "
                         << getBags().getType();
  auto weights = tensorOf(getTable()).clone(shape);
  if (getWeights() && getMode() != BagMode::sum)
    return emitOpError("expected weights for a sum");
  if (getWeights() && getWeights().getType() != weights)
    return emitOpError() << "expected weights of type " << weights << ", but got "
                         << getWeights().getType();
  return success();
}

bool EmbeddingBagOp::keepsLeadingDimension(IsBatched isBatched) {
  return !getBags() && !isBatched(getTable());
}

void EmbeddingBagOp::setStartIndices(Value index) { setStart(*this, index); }

namespace {
/// Lowering of one EmbeddingBagOp.
class Bags {
public:
  Bags(GradBuilder &b, EmbeddingBagOp op) : b(b), op(op) {}
  Value build();

private:
  /// [bags, width] from [indices, width].
  Value sum(Value rows);
  Value max(Value rows);
  Value greatest(Value rows); ///< 0 in a bag without members
  /// [bags, 1], of the rows' type.
  Value count(Value rows);
  Value divisor(Value rows);
  Value kept(Value rows, double otherwise);

  GradBuilder &b;
  EmbeddingBagOp op;
  Value isKept; ///< a column per index; null if all are
};
} // namespace

Value Bags::kept(Value rows, double otherwise) {
  return isKept ? b.select(isKept, rows, b.real(otherwise, rows)) : rows;
}

Value Bags::sum(Value rows) {
  rows = kept(rows, 0);
  if (!op.getBags())
    return b.reduceSum(rows, 1);
  auto type = tensorOf(rows).clone({*op.getOf(), tensorOf(rows).getShape().back()});
  return b.op<ScatterAddOp>(type, rows, op.getBags(), IntegerAttr());
}

Value Bags::count(Value rows) {
  SmallVector<int64_t> column(tensorOf(rows).getShape());
  column.back() = 1;
  return sum(b.broadcastTo(b.real(1, rows), tensorOf(rows).clone(column)));
}

/// Divisor of a mean: the number of rows in a bag, at least 1, so that the mean of an empty bag is
/// 0.
Value Bags::divisor(Value rows) {
  if (!isKept && !op.getBags())
    return b.real(double(tensorOf(op.getIndex()).getDimSize(1)), rows);
  return b.op<MaximumOp>(count(rows), b.real(1, rows));
}

Value Bags::greatest(Value rows) {
  Value result = max(rows), none = b.real(0, rows);
  return !isKept && !op.getBags() ? result : b.select(b.greater(count(rows), none), result, none);
}

Value Bags::max(Value rows) {
  if (!op.getBags())
    return b.op<ReduceMaxOp>(kept(rows, -std::numeric_limits<double>::infinity()),
                             SmallVector<int64_t>{1});
  Value bags = op.getBags();
  auto type = tensorOf(bags);
  if (isKept)
    bags = b.select(b.reshape(isKept, type), bags, b.real(-1, bags));
  Value order = b.op<ArgsortOp>(bags, false, b.builder.getI64IntegerAttr(*op.getOf()));
  UpdateSegments runs(b, b.op<GatherOp>(rows, order, IntegerAttr()),
                      b.columnOf(b.op<TakeAlongAxisOp>(bags, order, 0, false)), 0);
  runs.combine(ScatterMode::max);
  Value last = b.reshape(runs.indexOfLast(), type);
  return b.op<ScatterAddOp>(op.getType(), runs.updates, last, IntegerAttr());
}

// Sums of 16-bit rows are f32 and rounded once: the sum of a mean may exceed the range of f16.
Value Bags::build() {
  Value rows = b.op<EmbeddingOp>(op.getTable(), op.getIndex(), op.getPaddingAttr(), false);
  Value index = op.getIndex();
  if (auto padding = op.getPadding())
    isKept = b.columnOf(b.compare(ComparePredicate::ne, index, b.real(double(*padding), index)));
  if (op.getMode() == BagMode::max)
    return greatest(rows);
  Type element = getElementTypeOrSelf(rows), wide = accumulatorOf(element);
  rows = b.castTo(rows, wide);
  if (op.getWeights())
    rows = b.mul(rows, b.castTo(b.columnOf(op.getWeights()), wide));
  Value result = sum(rows);
  if (op.getMode() == BagMode::mean)
    result = b.div(result, divisor(rows));
  return b.castTo(result, element);
}

std::optional<Fans> EmbeddingBagOp::getFans(unsigned operand) {
  return fansOfTable(operand, getTable().getType());
}
SmallVector<Value> EmbeddingBagOp::decompose(GradBuilder &b) { return {Bags(b, *this).build()}; }

static ParseResult parseBagTypes(OpAsmParser &parser, const Operand &table, Type &tableType,
                                 const Operand &index, Type &indexType,
                                 const std::optional<Operand> &bags, Type &bagsType,
                                 const std::optional<Operand> &weights, Type &weightsType) {
  return parseSlots(parser, {Slot(table, tableType), Slot(index, indexType), Slot(bags, bagsType),
                             Slot(weights, weightsType)});
}
static void printBagTypes(OpAsmPrinter &p, Operation *op, Value, Type, Value, Type, Value, Type,
                          Value, Type) {
  printTypeList(p, llvm::to_vector(op->getOperandTypes()));
}

#define GET_OP_CLASSES
#include "mlir-dialects/Train/IndexingOps.cpp.inc"

void ampc::registerIndexingOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TrainDialect *dialect) {
    addRecordedOperations<TakeAlongAxisOp, AddAlongAxisOp, ArgsortOp, SortOp, TopKOp, ScatterOp,
                          EmbeddingBagOp>(*dialect);
  });
}
