// Gather and scatter along a dimension, and argsort of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Conversion/TrainToKernel/Indexing.h"
#include "mlir-dialects/Train/Ops/Indexing.h"

using namespace mlir;
using namespace ampc;
using train::ComparePredicate;

/// A kernel.map from the elements of `inputs`, tensors of equal shape, to i32.
static Value numbers(Location loc, ArrayRef<Value> inputs, Converter &converter,
                     BodyBuilder build) {
  auto type = tensorOf(inputs.front()).clone(converter.builder.getI32Type());
  AffineMap all = converter.builder.getMultiDimIdentityMap(type.getRank());
  auto accesses = llvm::map_to_vector(inputs, [&](Value v) { return converter.whole(v); });
  SmallVector<AffineMap> maps(inputs.size(), all);
  return converter.map(loc, TypeRange(type), accesses, maps, type.getShape(), all, build)
      ->getResult(0);
}

/// Gathers single elements: `from` [m] and `index` [n] -> [n].
static Value pick(Location loc, Value from, Value index, Converter &converter) {
  int64_t count = tensorOf(index).getNumElements();
  Value rows = converter.view(loc, from, {tensorOf(from).getNumElements(), 1});
  auto type = tensorOf(rows).clone({count, 1});
  Value taken = kernel::GatherOp::create(converter.builder, loc, type, rows, index);
  return converter.view(loc, taken, {count});
}

/// Row-major positions [n] of the elements that `index` selects along `dim` of a tensor with `size`
/// elements there; -1 for an index out of range. Example: dim 1 of a [2, 5] tensor, index [[4],
/// [0]] -> positions 4 and 5.
static Value elementNumbers(Location loc, Value index, int64_t dim, int64_t size,
                            Converter &converter) {
  ArrayRef<int64_t> shape = tensorOf(index).getShape();
  int64_t columns = product(shape.drop_front(dim + 1)), line = shape[dim] * columns;
  Value flat = converter.view(loc, converter.tensor(index), {product(shape)});
  return numbers(loc, flat, converter, [&](ScalarBuilder &b, ValueRange x) {
    Type i32 = b.builder.getI32Type();
    auto number = [&](int64_t value) { return b.integer(value, i32); };
    Value at = b.linearIndex(), before = b.div(at, number(line));
    Value element = b.add(b.mul(before, number(size)), x[0]);
    if (columns != 1) {
      Value column = b.sub(at, b.mul(b.div(at, number(columns)), number(columns)));
      element = b.add(b.mul(element, number(columns)), column);
    }
    Value isBelow = b.greater(number(size), x[0]), none = number(-1);
    Value isFrom = b.compare(ComparePredicate::ge, x[0], number(0));
    return SmallVector<Value>{b.select(isFrom, b.select(isBelow, element, none), none)};
  });
}

static LogicalResult convertTake(train::TakeAlongAxisOp op, Converter &converter) {
  Location loc = op.getLoc();
  Value index = elementNumbers(loc, op.getIndex(), op.getDim(), op.getIndexLimit(), converter);
  Value taken = pick(loc, converter.tensor(op.getX()), index, converter);
  converter.set(op, converter.view(loc, taken, op.getType().getShape()));
  return success();
}

static LogicalResult convertAdd(train::AddAlongAxisOp op, Converter &converter) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getType();
  Value index = elementNumbers(loc, op.getIndex(), op.getDim(), op.getOf(), converter);
  Value updates = converter.view(loc, converter.tensor(op.getUpdates()),
                                 {tensorOf(op.getUpdates()).getNumElements(), 1});
  auto sumType = RankedTensorType::get({type.getNumElements(), 1},
                                       computeType(tensorOf(updates).getElementType()));
  Value sums =
      kernel::ScatterAddOp::create(converter.builder, loc, sumType, updates, index, IntegerAttr());
  sums = converter.view(loc, sums, type.getShape());
  if (sumType.getElementType() != type.getElementType())
    sums = converter.castTo(loc, converter.whole(sums), type.getElementType());
  converter.set(op, sums);
  return success();
}

// ---- Argsort ----

namespace {
/// Radix sort of all rows together: least significant digit of 16 bits first, and the row last.
/// Each pass is stable, so equal digits keep the order of the pass before.
class Sorting {
public:
  Sorting(train::ArgsortOp op, Converter &converter)
      : op(op), converter(converter), loc(op.getLoc()), type(op.getX().getType()),
        length(type.getShape().back()), rows(type.getNumElements() / std::max<int64_t>(length, 1)) {
  }
  Value run();

private:
  static constexpr int64_t digitBits = 16;
  /// Numbers outside the limit sort last, so the greatest digit needs no bucket of its own.
  static constexpr int64_t greatest = (1 << digitBits) - 1;

  /// Digit `number` of every element, [n] of i32.
  Value digits(Value x, int64_t number);
  Value bitsOf(ScalarBuilder &b, Value x);
  void sortBy(Value keys, int64_t below);
  Value divided(int64_t by, bool remainder);

  train::ArgsortOp op;
  Converter &converter;
  Location loc;
  RankedTensorType type;
  int64_t length, rows;
  Value order; ///< permutation of the passes so far; null: identity
};
} // namespace

/// Bits of an element as an unsigned integer with the same order as the elements.
Value Sorting::bitsOf(ScalarBuilder &b, Value x) {
  auto whole = b.builder.getIntegerType(x.getType().getIntOrFloatBitWidth());
  int64_t sign = whole.getWidth() - 1;
  auto exclusive = [&](Value a, Value c) -> Value {
    return arith::XOrIOp::create(b.builder, b.loc, a, c);
  };
  Value lowest = b.integer(int64_t(uint64_t(-1) << sign), whole), bits = x;
  if (isa<FloatType>(x.getType())) {
    // Both zeros become equal, and all NaNs become a single NaN after all numbers.
    Value zero = b.real(0.0), nan = b.real(std::numeric_limits<double>::quiet_NaN());
    Value number = b.select(b.equal(x, zero), zero, x);
    number = b.select(b.equal(x, x), number, nan);
    bits = arith::BitcastOp::create(b.builder, b.loc, whole, number);
    // Magnitudes of negative numbers have the opposite order.
    Value negative = b.compare(ComparePredicate::lt, bits, b.integer(0, whole));
    bits = exclusive(bits, b.select(negative, b.integer(-1, whole), lowest));
  } else {
    bits = exclusive(bits, lowest);
  }
  return op.getDescending() ? exclusive(bits, b.integer(-1, whole)) : bits;
}

Value Sorting::digits(Value x, int64_t number) {
  return numbers(loc, x, converter, [&](ScalarBuilder &b, ValueRange elements) {
    Value bits = bitsOf(b, elements[0]);
    if (number)
      bits = arith::ShRUIOp::create(b.builder, b.loc, bits,
                                    b.integer(number * digitBits, bits.getType()));
    bits = b.castTo(bits, b.builder.getI32Type());
    return SmallVector<Value>{
        arith::AndIOp::create(b.builder, b.loc, bits, b.integer(greatest, bits.getType()))};
  });
}

/// Stable sort by `keys`, given in the original order of the elements; keys outside [0, below) come
/// last.
void Sorting::sortBy(Value keys, int64_t below) {
  if (order)
    keys = pick(loc, keys, order, converter);
  auto all = tensorOf(keys);
  auto found = all.clone({std::min(all.getNumElements(), below)});
  auto groups = kernel::SortByKeyOp::create(converter.builder, loc, found, all,
                                            found.clone({found.getNumElements() + 1}), keys,
                                            converter.builder.getI64IntegerAttr(below));
  order = order ? pick(loc, order, groups.getOrder(), converter) : groups.getOrder();
}

/// Quotient or remainder of every position in `order` by `by`: the row of an element, or the column
/// within the row.
Value Sorting::divided(int64_t by, bool remainder) {
  return numbers(loc, order, converter, [&](ScalarBuilder &b, ValueRange x) {
    Value divisor = b.integer(by, x[0].getType()), quotient = b.div(x[0], divisor);
    return SmallVector<Value>{remainder ? b.sub(x[0], b.mul(quotient, divisor)) : quotient};
  });
}

Value Sorting::run() {
  Value x = converter.view(loc, converter.tensor(op.getX()), {type.getNumElements()});
  Type element = type.getElementType();
  int64_t count = computeType(element).getIntOrFloatBitWidth() / digitBits;
  if (op.getBelow()) {
    sortBy(x, *op.getBelow());
  } else {
    // The lower half of a bf16 widened to f32 is zero, so the first digit is skipped.
    for (int64_t number = element.isBF16() ? 1 : 0; number < count; ++number)
      sortBy(digits(x, number), greatest);
  }
  if (rows > 1) {
    // A last pass by row, which keeps the sorted order within each row.
    Value row = divided(length, false), sorted = order;
    order = {};
    sortBy(row, rows);
    order = pick(loc, sorted, order, converter);
  }
  return converter.view(loc, divided(length, true), type.getShape());
}

namespace {
/// Argsort of short rows by counting: the rank of an element is the number of elements that come
/// before. Example: [30, 10, 20] -> ranks [2, 0, 1] -> order [1, 2, 0].
class Ranking {
public:
  /// Longest row for which comparing all pairs beats sorting.
  static constexpr int64_t longest = 128;
  static bool fits(train::ArgsortOp op) { return tensorOf(op.getX()).getShape().back() <= longest; }

  Ranking(train::ArgsortOp op, Converter &converter)
      : op(op), converter(converter), loc(op.getLoc()), type(op.getX().getType()),
        length(type.getShape().back()), rows(type.getNumElements() / length) {}
  Value run();

private:
  Value isBefore(ScalarBuilder &b, Value x, Value y);
  /// An i32 [rows, length], the sum over a second column of the row.
  Value sum(ArrayRef<Access> inputs, ArrayRef<AffineMap> maps, BodyBuilder build);

  train::ArgsortOp op;
  Converter &converter;
  Location loc;
  RankedTensorType type;
  int64_t length, rows;
};
} // namespace

/// Whether x sorts before y, whatever the positions.
Value Ranking::isBefore(ScalarBuilder &b, Value x, Value y) {
  if (op.getDescending())
    std::swap(x, y);
  Value isLess = b.compare(ComparePredicate::lt, x, y);
  if (!isa<FloatType>(x.getType()))
    return isLess;
  return b.select(b.compare(ComparePredicate::ne, y, y), b.equal(x, x), isLess);
}

Value Ranking::sum(ArrayRef<Access> inputs, ArrayRef<AffineMap> maps, BodyBuilder build) {
  AffineMap outer = rowMap(3, converter.builder.getContext());
  auto sums = RankedTensorType::get({rows, length}, converter.builder.getI32Type());
  return converter.map(loc, TypeRange(sums), inputs, maps, {rows, length, length}, outer, build)
      ->getResult(0);
}

Value Ranking::run() {
  MLIRContext *context = converter.builder.getContext();
  Type i32 = converter.builder.getI32Type();
  AffineExpr row = getAffineDimExpr(0, context), one = getAffineDimExpr(1, context),
             other = getAffineDimExpr(2, context);
  auto at = [&](ArrayRef<AffineExpr> exprs) { return AffineMap::get(3, 0, exprs, context); };
  auto columns = llvm::to_vector(llvm::seq<int32_t>(length));
  Access number = converter.whole(kernel::ConstantOp::create(
      converter.builder, loc,
      DenseElementsAttr::get(RankedTensorType::get(length, i32), ArrayRef(columns))));
  Access x = converter.whole(converter.view(loc, converter.tensor(op.getX()), {rows, length}));
  // Integers at or above the limit, and negative integers, all count as the limit.
  auto limited = [&](ScalarBuilder &b, Value v) -> Value {
    if (!op.getBelow())
      return v;
    Value limit = b.integer(*op.getBelow(), i32);
    Value isFrom = b.compare(ComparePredicate::ge, v, b.integer(0, i32));
    return b.select(isFrom, b.min(v, limit), limit);
  };
  Value ranks =
      sum({x, x, number, number}, {at({row, one}), at({row, other}), at(one), at(other)},
          [&](ScalarBuilder &b, ValueRange v) {
            Value mine = limited(b, v[0]), its = limited(b, v[1]), none = b.real(0);
            Value isEarlier = b.select(b.greater(v[2], v[3]), b.real(1), none);
            Value tie = b.select(isBefore(b, mine, its), none, isEarlier);
            return SmallVector<Value>{b.rowSum(b.select(isBefore(b, its, mine), b.real(1), tie))};
          });
  return converter.view(
      loc,
      sum({converter.whole(ranks), number, number}, {at({row, other}), at(one), at(other)},
          [&](ScalarBuilder &b, ValueRange v) {
            Value here = b.castTo(v[2], b.compute);
            return SmallVector<Value>{b.rowSum(b.select(b.equal(v[0], v[1]), here, b.real(0)))};
          }),
      type.getShape());
}

static LogicalResult convertArgsort(train::ArgsortOp op, Converter &converter) {
  Value order = Ranking::fits(op) ? Ranking(op, converter).run() : Sorting(op, converter).run();
  converter.set(op, order);
  return success();
}

void ampc::addIndexingRules(ConversionRules &families) {
  families.add<train::TakeAlongAxisOp>(convertTake);
  families.add<train::AddAlongAxisOp>(convertAdd);
  families.add<train::ArgsortOp>(convertArgsort);
}
