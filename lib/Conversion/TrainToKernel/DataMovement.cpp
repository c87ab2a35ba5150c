// Gather and scatter of rows, concatenation and padding, and pooling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Converter.h"

using namespace mlir;
using namespace ampc;

/// A tensor as rows: [leading dimensions, all other dimensions].
static Value asRows(Location loc, Value value, unsigned leading, Converter &converter) {
  ArrayRef<int64_t> shape = tensorOf(value).getShape();
  return converter.view(loc, converter.tensor(value),
                        {product(shape.take_front(leading)), product(shape.drop_front(leading))});
}
static Value flat(Location loc, Value value, Converter &converter) {
  return converter.view(loc, converter.tensor(value), {tensorOf(value).getNumElements()});
}

namespace {
/// Rows along an inner dimension of the tensor in memory, moved to the front by a transpose of the
/// value. Example: value [rows, batch, n] of a tensor [batch, rows, n].
struct InnerRows {
  Value tensor;
  SmallVector<int64_t> order; ///< the value's dimensions in memory order
  unsigned dim;               ///< index of the row dimension in the tensor
  int64_t outer, size, inner;

  /// Nothing if the row dimension is outermost in memory, rows are too short, or `index` is no 1-D
  /// list of i32.
  static std::optional<InnerRows> of(Location loc, Value rows, Value index, Converter &converter);
  /// The tensor as rows [outer * size, inner] in memory.
  Value flat(Location loc, Converter &converter) const {
    return converter.view(loc, tensor, {outer * size, inner});
  }
  /// Row numbers in memory, [outer * count], for `index` among `of` rows; -1 for an index out of
  /// range.
  Value numbers(Location loc, Value index, int64_t of, Converter &converter) const;
  /// Rows in memory as a value of `type`.
  Access as(Location loc, Value rows, RankedTensorType type, Converter &converter) const;
};
} // namespace

/// Fewest elements per row: gathering shorter rows in place takes longer than a transposing copy.
static constexpr int64_t leastInner = 8;

/// Dimensions of a value in memory order; empty if a dimension is split or repeated there.
static SmallVector<int64_t> orderInMemory(const Access &access) {
  SmallVector<int64_t> order;
  for (AffineExpr expr : access.literal ? ArrayRef<AffineExpr>() : access.map.getResults())
    for (int64_t dim = 0; dim < access.type.getRank(); ++dim)
      if (expr.isFunctionOfDim(dim))
        order.push_back(dim);
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  return llvm::equal(sorted, llvm::seq<int64_t>(0, access.type.getRank())) ? order
                                                                           : SmallVector<int64_t>();
}

std::optional<InnerRows> InnerRows::of(Location loc, Value rows, Value index,
                                       Converter &converter) {
  Access access = converter.access(rows);
  auto type = tensorOf(index);
  InnerRows inner;
  inner.order = orderInMemory(access);
  if (inner.order.empty() || type.getRank() != 1 || !type.getElementType().isInteger(32))
    return std::nullopt;
  auto shape =
      llvm::map_to_vector(inner.order, [&](int64_t dim) { return access.type.getDimSize(dim); });
  inner.dim = llvm::find(inner.order, 0) - inner.order.begin();
  inner.outer = product(ArrayRef(shape).take_front(inner.dim));
  inner.size = shape[inner.dim];
  inner.inner = product(ArrayRef(shape).drop_front(inner.dim + 1));
  if (inner.outer == 1 || inner.inner < leastInner)
    return std::nullopt;
  AffineMap toValue =
      AffineMap::getPermutationMap(inversePermutation(inner.order), converter.builder.getContext());
  inner.tensor = converter.tensor(
      loc, {access.tensor, access.map.compose(toValue), {}, access.type.clone(shape)});
  return inner;
}

Value InnerRows::numbers(Location loc, Value index, int64_t of, Converter &converter) const {
  int64_t count = tensorOf(index).getDimSize(0);
  OpBuilder &builder = converter.builder;
  AffineMap all = builder.getMultiDimIdentityMap(2);
  auto type = RankedTensorType::get({outer, count}, builder.getI32Type());
  auto build = [&](ScalarBuilder &b, ValueRange x) {
    auto number = [&](int64_t value) { return b.integer(value, builder.getI32Type()); };
    Value before = b.mul(b.div(b.linearIndex(), number(count)), number(of));
    Value isBelow = b.greater(number(of), x[0]), none = number(-1);
    Value isFrom = b.compare(train::ComparePredicate::ge, x[0], number(0));
    Value found = b.select(isBelow, b.add(before, x[0]), none);
    return SmallVector<Value>{b.select(isFrom, found, none)};
  };
  Value numbers =
      converter
          .map(loc, type, converter.access(index), all.dropResult(0), type.getShape(), all, build)
          ->getResult(0);
  return converter.view(loc, numbers, {outer * count});
}

Access InnerRows::as(Location loc, Value rows, RankedTensorType type, Converter &converter) const {
  auto shape = llvm::map_to_vector(order, [&](int64_t dim) { return type.getDimSize(dim); });
  AffineMap map = AffineMap::getPermutationMap(order, converter.builder.getContext());
  return {converter.view(loc, rows, shape), map, {}, type};
}

static LogicalResult convertInnerGather(train::GatherOp op, Converter &converter) {
  Location loc = op.getLoc();
  auto table = InnerRows::of(loc, op.getTable(), op.getIndex(), converter);
  if (!table)
    return failure();
  Value rows = table->flat(loc, converter),
        index = table->numbers(loc, op.getIndex(), table->size, converter);
  auto type = tensorOf(rows).clone({tensorOf(index).getDimSize(0), table->inner});
  Value taken = kernel::GatherOp::create(converter.builder, loc, type, rows, index);
  converter.set(op, table->as(loc, taken, op.getType(), converter));
  return success();
}

static LogicalResult convertGather(train::GatherOp op, Converter &converter) {
  Location loc = op.getLoc();
  Value table = asRows(loc, op.getTable(), 1, converter),
        index = flat(loc, op.getIndex(), converter);
  auto type = tensorOf(table).clone({tensorOf(index).getDimSize(0), tensorOf(table).getDimSize(1)});
  Value rows = kernel::GatherOp::create(converter.builder, loc, type, table, index);
  converter.set(op, converter.view(loc, rows, op.getType().getShape()));
  return success();
}

/// Sums, accumulated in at least f32, as a value of `type`: rounded once.
static Value rounded(Location loc, Value sums, RankedTensorType type, Converter &converter) {
  if (getElementTypeOrSelf(sums) != type.getElementType())
    sums = converter.castTo(loc, converter.whole(sums), type.getElementType());
  return converter.view(loc, sums, type.getShape());
}

/// Type of the sums [rows, width] of rows of `updates`, for results of type `element`.
static RankedTensorType sumsOf(Value updates, int64_t rows, Type element) {
  Type given = tensorOf(updates).getElementType(), sum = computeType(element);
  bool isWider = given.getIntOrFloatBitWidth() > sum.getIntOrFloatBitWidth();
  return RankedTensorType::get({rows, tensorOf(updates).getDimSize(1)}, isWider ? given : sum);
}
static RankedTensorType sumsOf(Value updates, RankedTensorType type) {
  return sumsOf(updates, type.getDimSize(0), type.getElementType());
}

static LogicalResult convertInnerScatterAdd(train::ScatterAddOp op, Converter &converter) {
  if (op.getPaddingAttr())
    return failure();
  Location loc = op.getLoc();
  auto given = InnerRows::of(loc, op.getUpdates(), op.getIndex(), converter);
  if (!given)
    return failure();
  RankedTensorType type = op.getType();
  Value updates = given->flat(loc, converter),
        index = given->numbers(loc, op.getIndex(), type.getDimSize(0), converter);
  auto sumType = sumsOf(updates, given->outer * type.getDimSize(0), type.getElementType());
  Value sums =
      kernel::ScatterAddOp::create(converter.builder, loc, sumType, updates, index, IntegerAttr());
  sums = rounded(loc, sums, sumType.clone(type.getElementType()), converter);
  converter.set(op, given->as(loc, sums, type, converter));
  return success();
}

static LogicalResult convertScatterAdd(train::ScatterAddOp op, Converter &converter) {
  Location loc = op.getLoc();
  Value updates = asRows(loc, op.getUpdates(), op.getIndex().getType().getRank(), converter);
  Value index = flat(loc, op.getIndex(), converter);
  Value sums = kernel::ScatterAddOp::create(converter.builder, loc, sumsOf(updates, op.getType()),
                                            updates, index, op.getPaddingAttr());
  converter.set(op, rounded(loc, sums, op.getType(), converter));
  return success();
}

namespace {
/// Neighbouring columns, starting at `from`, of a matrix that may be wider.
struct Columns {
  Value matrix;
  int64_t from = 0;
};
} // namespace

/// Source of a segment sum. A slice of columns is read in place within the wider matrix, and a cast
/// to f32 is skipped, since sums are accumulated in f32 anyway. The case arises for tables whose
/// rows went into a single concatenation.
static Columns columnsOf(Location loc, train::SegmentSumOp op, Converter &converter) {
  Value updates = op.getUpdates();
  if (auto cast = updates.getDefiningOp<train::CastOp>())
    if (cast.getType().getElementType().isF32() &&
        isa<BFloat16Type, Float16Type>(tensorOf(cast.getX()).getElementType()))
      updates = cast.getX();
  Access access = converter.access(updates);
  unsigned leading = op.getIndex().getType().getRank();
  MLIRContext *context = converter.builder.getContext();
  AffineExpr row = getAffineDimExpr(0, context), column = getAffineDimExpr(1, context);
  if (leading == 1 && !access.literal && access.type.getRank() == 2 &&
      access.map.getNumResults() == 2 && access.map.getResult(0) == row &&
      tensorOf(access.tensor).getDimSize(0) == access.type.getDimSize(0)) {
    AffineExpr from = access.map.getResult(1) - column;
    if (auto number = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(from, 2, 0)))
      return {access.tensor, number.getValue()};
  }
  return {asRows(loc, op.getUpdates(), leading, converter)};
}

static LogicalResult convertSegmentSum(train::SegmentSumOp op, Converter &converter) {
  Location loc = op.getLoc();
  auto [updates, from] = columnsOf(loc, op, converter);
  Value index = flat(loc, op.getIndex(), converter);
  auto rows = op.getRows().getType();
  auto groups = kernel::SortByKeyOp::create(converter.builder, loc, rows, index.getType(),
                                            rows.clone({rows.getDimSize(0) + 1}), index,
                                            converter.builder.getI64IntegerAttr(op.getOf()));
  RankedTensorType type = op.getSums().getType();
  auto sumType = sumsOf(updates, type);
  sumType = sumType.clone({type.getDimSize(0), type.getNumElements() / type.getDimSize(0)});
  Value sums = kernel::SegmentSumOp::create(converter.builder, loc, sumType, updates,
                                            groups.getOrder(), groups.getStarts(), from);
  converter.set(op.getSums(), rounded(loc, sums, type, converter));
  converter.set(op.getRows(), groups.getRows());
  return success();
}

static LogicalResult convertScatterRows(train::ScatterRowsOp op, Converter &converter) {
  Location loc = op.getLoc();
  Value rows = asRows(loc, op.getRows(), op.getIndex().getType().getRank(), converter),
        index = flat(loc, op.getIndex(), converter),
        table = asRows(loc, op.getTable(), 1, converter);
  Value now =
      kernel::ScatterRowsOp::create(converter.builder, loc, table.getType(), rows, index, table);
  converter.set(op, converter.view(loc, now, op.getType().getShape()));
  return success();
}

/// Most parts per kernel: a kernel has a piece of code per part, and a GPU launch takes at most
/// 4352 bytes of addresses.
static constexpr size_t mostParts = 128;

/// Concatenation of the parts along a dimension.
static Value assemble(Location loc, ArrayRef<Value> parts, int64_t dim, OpBuilder &b) {
  auto type = cast<RankedTensorType>(parts.front().getType());
  SmallVector<int64_t> shape(type.getShape()), offsets, strides(parts.size() * shape.size(), 1);
  shape[dim] = 0;
  for (Value part : parts) {
    for (size_t d = 0; d < shape.size(); ++d)
      offsets.push_back(d == size_t(dim) ? shape[dim] : 0);
    shape[dim] += tensorOf(part).getDimSize(dim);
  }
  return kernel::AssembleOp::create(b, loc, type.clone(shape), parts, offsets, strides,
                                    APFloat(0.0));
}

/// Many parts are concatenated in groups of at most 128, and the groups in turn: 10 000 parts in 79
/// groups.
static LogicalResult convertConcat(train::ConcatOp op, Converter &converter) {
  auto parts = llvm::map_to_vector(op.getParts(), [&](Value x) { return converter.tensor(x); });
  while (parts.size() > mostParts) {
    SmallVector<Value> groups;
    for (ArrayRef<Value> rest = parts; !rest.empty();) {
      ArrayRef<Value> group = rest.take_front(mostParts);
      groups.push_back(assemble(op.getLoc(), group, op.getDim(), converter.builder));
      rest = rest.drop_front(group.size());
    }
    parts = std::move(groups);
  }
  converter.set(op, assemble(op.getLoc(), parts, op.getDim(), converter.builder));
  return success();
}
static LogicalResult convertPad(train::PadOp op, Converter &converter) {
  auto strides = llvm::map_to_vector(op.getInterior(), [](int64_t gap) { return gap + 1; });
  converter.set(op, kernel::AssembleOp::create(converter.builder, op.getLoc(), op.getType(),
                                               converter.tensor(op.getX()), op.getLow(), strides,
                                               op.getValue()));
  return success();
}

template <typename Op> static APFloat shareOf(Op op) {
  return APFloat(1.0 / double(product(op.getWindow())));
}

static LogicalResult convertMaxPool(train::MaxPoolOp op, Converter &converter) {
  auto pool = kernel::PoolOp::create(
      converter.builder, op.getLoc(), op->getResultTypes(), converter.tensor(op.getX()),
      kernel::Combine::max, op.getWindow(), op.getStrides(), op.getPadding(), APFloat(1.0));
  converter.set(op.getResult(), pool.getResult());
  converter.set(op.getWhere(), pool.getWhere()[0]);
  return success();
}
static LogicalResult convertAvgPool(train::AvgPoolOp op, Converter &converter) {
  auto pool = kernel::PoolOp::create(converter.builder, op.getLoc(), op->getResultTypes(),
                                     converter.tensor(op.getX()), kernel::Combine::sum,
                                     op.getWindow(), op.getStrides(), op.getPadding(), shareOf(op));
  converter.set(op, pool.getResult());
  return success();
}
static LogicalResult convertMaxPoolGrad(train::MaxPoolGradOp op, Converter &converter) {
  converter.set(op, kernel::PoolGradOp::create(
                        converter.builder, op.getLoc(), op.getType(), converter.tensor(op.getG()),
                        converter.tensor(op.getWhere()), kernel::Combine::max, op.getWindow(),
                        op.getStrides(), op.getPadding(), APFloat(1.0)));
  return success();
}
static LogicalResult convertAvgPoolGrad(train::AvgPoolGradOp op, Converter &converter) {
  converter.set(op, kernel::PoolGradOp::create(converter.builder, op.getLoc(), op.getType(),
                                               converter.tensor(op.getG()), ValueRange{},
                                               kernel::Combine::sum, op.getWindow(),
                                               op.getStrides(), op.getPadding(), shareOf(op)));
  return success();
}

void ampc::addMoveRules(ConversionRules &families) {
  families.add<train::GatherOp>(convertInnerGather);
  families.add<train::GatherOp>(convertGather);
  families.add<train::ScatterAddOp>(convertInnerScatterAdd);
  families.add<train::ScatterAddOp>(convertScatterAdd);
  families.add<train::SegmentSumOp>(convertSegmentSum);
  families.add<train::ScatterRowsOp>(convertScatterRows);
  families.add<train::ConcatOp>(convertConcat);
  families.add<train::PadOp>(convertPad);
  families.add<train::MaxPoolOp>(convertMaxPool);
  families.add<train::AvgPoolOp>(convertAvgPool);
  families.add<train::MaxPoolGradOp>(convertMaxPoolGrad);
  families.add<train::AvgPoolGradOp>(convertAvgPoolGrad);
}
