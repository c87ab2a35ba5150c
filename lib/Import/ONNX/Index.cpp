// Gather and scatter nodes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/ConstantFolding.h"
#include "mlir-dialects/Train/Ops/Indexing.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;
using train::ComparePredicate;

/// Index with negative numbers, which count from the end, made nonnegative.
static Value fromStart(Converter &c, Value index, int64_t size) {
  if (!index)
    return {};
  Value limit = c.real(double(size), index);
  Value isBehind = c.compare(ComparePredicate::lt, index, c.real(0, index));
  return c.select(isBehind, c.add(index, limit), index);
}

/// Known indices in [0, size); nothing, with a fault recorded, if an index is out of range.
static std::optional<Literal> fromStart(Converter &c, const Literal &known, int64_t size) {
  Literal index = known;
  for (int64_t &at : index.ints) {
    if (at < -size || at >= size) {
      c.fail("expected indices in [" + Twine(-size) + ", " + Twine(size) + "), but got " +
             Twine(at));
      return std::nullopt;
    }
    at += at < 0 ? size : 0;
  }
  return index;
}

/// Indices of input `i` in [0, size); known indices are checked at import.
static Value indexOf(Converter &c, unsigned i, int64_t size) {
  const Literal *known = c.literal(i);
  if (!known || known->isReal())
    return fromStart(c, c.in(i), size);
  auto index = fromStart(c, *known, size);
  return index ? c.constant(*index) : Value();
}

static void convertGather(Converter &c) {
  int64_t axis = c.axisOf(0, 0);
  if (axis < 0)
    return;
  if (!c.literal(1))
    return c.set(0, c.take(c.in(0), axis, c.in(1)));
  auto index = fromStart(c, *c.literal(1), c.dims(0)[axis]);
  if (!index || (c.literal(0) && give(c, gatherLiteral(*c.literal(0), axis, *index))))
    return;
  if (index->dims.size() > 1)
    return c.set(0, c.take(c.in(0), axis, c.constant(*index)));
  Value y = c.take(c.in(0), axis, Dims(index->ints.begin(), index->ints.end()));
  Dims dims(c.dims(0));
  dims.erase(dims.begin() + axis);
  c.set(0, index->dims.empty() ? c.reshape(y, dims) : y);
}

static int64_t product(ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t size : dims)
    count *= size;
  return count;
}

static bool checkElements(Converter &c, ArrayRef<int64_t> dims) {
  if (product(dims) <= INT32_MAX)
    return true;
  c.fail("expected at most 2^31 elements");
  return false;
}

/// Selects the log-probability of each row's class, as in a decomposed cross entropy. Classes count
/// from the start and are checked.
static Value pickLabels(Converter &c, int64_t axis) {
  Value x = c.in(0), index = c.in(1);
  Dims rows(c.dims(0).drop_back());
  if (!x || !index || axis + 1 != c.rank(0) || !x.getDefiningOp<train::LogSoftmaxOp>() ||
      c.dims(1).back() != 1 || c.dims(1).drop_back() != ArrayRef(rows) || rows.empty())
    return {};
  if (auto column = index.getDefiningOp<train::ReshapeOp>();
      column && Converter::shapeOf(column.getX()) == ArrayRef(rows))
    index = column.getX();
  auto none = train::ReductionAttr::get(c.b.getContext(), train::Reduction::none);
  Value loss =
      c.make<train::NllOp>({x, c.reshape(index, rows)}, c.b.getNamedAttr("reduction", none));
  return c.reshape(c.make<train::NegOp>(loss), c.dims(1));
}

namespace {
/// Index of slices along `axis`, in a region `part` that may be smaller than the data in the other
/// dimensions: data [4, 5], index [2, 3].
struct Lines {
  int64_t axis;
  Dims part;
  Value index;
  SmallVector<NamedAttribute> attributes; ///< of the op along the dimension
};
} // namespace

static std::optional<Lines> linesOf(Converter &c) {
  int64_t axis = c.axisOf(0, 0);
  if (axis < 0 || !checkElements(c, c.dims(0)))
    return std::nullopt;
  Lines lines{axis, Dims(c.dims(1)), {}, {c.attr("dim", axis)}};
  bool isPart = c.rank(1) == c.rank(0);
  for (int64_t d = 0; isPart && d < c.rank(0); ++d)
    isPart = d == axis || lines.part[d] <= c.dims(0)[d];
  if (!isPart) {
    c.fail("expected indices with the rank of the data, and in dimensions other than the axis at "
           "most the size of the data");
    return std::nullopt;
  }
  lines.part[axis] = c.dims(0)[axis];
  lines.index = c.literal(1) ? indexOf(c, 1, lines.part[axis]) : c.in(1);
  if (!c.literal(1))
    lines.attributes.push_back(c.flag("from_end"));
  return lines;
}

static Value firstPart(Converter &c, Value x, ArrayRef<int64_t> sizes) {
  return c.slice(x, Dims(sizes.size(), 0), sizes, Dims(sizes.size(), 1));
}

static void convertGatherElements(Converter &c) {
  if (c.rank(0) > 0 && c.rank(1) == c.rank(0))
    if (Value picked = pickLabels(c, c.axisOf(0, 0)))
      return c.set(0, picked);
  if (auto lines = linesOf(c))
    c.set(0, c.make<train::TakeAlongAxisOp>({firstPart(c, c.in(0), lines->part), lines->index},
                                            lines->attributes));
}

/// Scatter-add of `updates` into `count` rows of zeros.
static Value scatter(Converter &c, Value updates, Value numbers, int64_t count) {
  if (!updates || !numbers)
    return {};
  Dims dims = {count};
  llvm::append_range(dims,
                     Converter::shapeOf(updates).drop_front(Converter::shapeOf(numbers).size()));
  return c.make<train::ScatterAddOp>({updates, numbers}, {},
                                     RankedTensorType::get(dims, Converter::elementOf(updates)));
}

/// Scatter of elements along a dimension, combined by the node's reduction. Integers travel in f64,
/// which holds every i32, and which no policy narrows.
static Value scatterAlong(Converter &c, Value x, Value updates, Value index,
                          SmallVector<NamedAttribute> attributes) {
  if (!x || !updates)
    return {};
  if (mlir::Type element = Converter::elementOf(x); element.isInteger()) {
    mlir::Type wide = c.b.getF64Type();
    return c.cast(scatterAlong(c, c.cast(x, wide), c.cast(updates, wide), index, attributes),
                  element);
  }
  std::string how = c.text("reduction", "none");
  auto mode = train::symbolizeScatterMode(how == "none" ? "set" : how);
  if (!mode)
    return c.fail("expected the reduction none, add, mul, max or min, but got " + how);
  attributes.push_back(
      c.b.getNamedAttr("mode", train::ScatterModeAttr::get(c.b.getContext(), *mode)));
  return c.make<train::ScatterOp>({updates, index, x}, attributes);
}

/// Replaces the leading region of `x` by `part`; the rest of `x` follows in each dimension.
/// Example: part [2, 3], x [4, 5]: [2, 5] with the last 2 columns of x, then [4, 5] with the last 2
/// rows.
static Value withFirstPart(Converter &c, Value x, Value part) {
  for (int64_t d = int64_t(Converter::shapeOf(x).size()) - 1; part && d >= 0; --d) {
    Dims from(Converter::shapeOf(x).size(), 0), sizes(Converter::shapeOf(part)),
        ones(sizes.size(), 1);
    from[d] = sizes[d];
    sizes[d] = Converter::shapeOf(x)[d] - from[d];
    if (sizes[d] > 0)
      part = c.concat({part, c.slice(x, from, sizes, ones)}, d);
  }
  return part;
}

static void convertScatterElements(Converter &c) {
  auto lines = linesOf(c);
  if (!lines)
    return;
  if (c.dims(1) != c.dims(2)) {
    c.fail("expected indices and updates of one shape");
    return;
  }
  Value x = c.in(0), first = firstPart(c, x, lines->part);
  if (x)
    c.set(0, withFirstPart(c, x, scatterAlong(c, first, c.in(2), lines->index, lines->attributes)));
}

/// Scatter of rows: rows of `x` with the given numbers are replaced, or combined with the updates.
static Value scatteredRows(Converter &c, Value x, Value updates, Value numbers) {
  if (!x || !updates || !numbers)
    return {};
  std::string how = c.text("reduction", "none");
  int64_t count = Converter::shapeOf(x)[0];
  if (how == "add")
    return c.add(x, scatter(c, updates, numbers, count));
  Dims column(Converter::shapeOf(numbers));
  column.push_back(1);
  if (how != "none") {
    if (!checkElements(c, Converter::shapeOf(x)))
      return {};
    numbers = c.broadcastTo(c.reshape(numbers, column), Converter::shapeOf(updates));
    return scatterAlong(c, x, updates, numbers, {c.attr("dim", int64_t(0))});
  }
  // The result of duplicate numbers is undefined in ONNX.
  Value ones = c.broadcastTo(c.real(1, updates), column);
  Value hits = scatter(c, ones, numbers, count);
  Dims wide(Converter::shapeOf(x).size(), 1);
  wide[0] = count;
  hits = c.reshape(hits, wide);
  if (!hits)
    return {};
  Value isHit = c.compare(ComparePredicate::gt, hits, c.real(0, hits));
  return c.select(isHit, scatter(c, updates, numbers, count), x);
}

/// Position along a dimension plus 1, or 0 for an index out of range: a lookup in the table 1, 2,
/// ..., `size`, so that range checks are the same as for any table.
static Value positionOf(Converter &c, Value index, int64_t size) {
  if (!index)
    return {};
  Value table = c.add(c.countBy(1, size), c.constant(Literal::scalar(1)));
  return c.make<train::GatherOp>({table, index}, c.flag("from_end"));
}

/// Known row numbers; nothing, with a fault recorded, if an index is out of range.
static Value knownRowNumbers(Converter &c, const Literal &index, ArrayRef<int64_t> data,
                             ArrayRef<int64_t> outer, ArrayRef<int64_t> strides) {
  int64_t depth = strides.size();
  Literal numbers(onnx::Type::I64, outer);
  for (int64_t i = 0; i < numbers.count(); ++i)
    for (int64_t d = 0; d < depth; ++d) {
      int64_t at = index.ints[i * depth + d];
      if (at < -data[d] || at >= data[d])
        return c.fail("expected indices in [" + Twine(-data[d]) + ", " + Twine(data[d]) +
                      "), but got " + Twine(at));
      numbers.ints[i] += (at < 0 ? at + data[d] : at) * strides[d];
    }
  return c.constant(numbers);
}

/// Row numbers from the last dimension of the indices, which addresses an element of the data's
/// dimensions behind `batch`; rows of each batch entry follow the rows of the entry before. -1 if
/// an index is out of range. Nothing, with a fault recorded, for wrong shapes. Example: data [3,
/// 4], index (1, 2) -> row 6.
static Value rowNumbers(Converter &c, int64_t batch) {
  ArrayRef<int64_t> data = c.dims(0).drop_front(batch), index = c.dims(1);
  int64_t depth = index.empty() ? 0 : index.back();
  if (depth < 1 || depth > int64_t(data.size()))
    return c.fail("expected indices with a last dimension between 1 and the rank of the data, "
                  "batch dimensions excluded");
  Dims outer(index.drop_back()), strides = stridesOf(data.take_front(depth));
  const Literal *known = c.literal(1);
  SmallVector<Value> positions;
  for (int64_t d = 0; !known && d < depth; ++d)
    positions.push_back(
        positionOf(c, c.reshape(c.take(c.in(1), index.size() - 1, Dims{d}), outer), data[d]));
  Value numbers = known ? knownRowNumbers(c, *known, data, outer, strides) : Value();
  for (auto [position, stride] : llvm::zip(positions, strides)) {
    Value from =
        c.mul(c.sub(position, c.constant(Literal::scalar(1))), c.constant(Literal::scalar(stride)));
    numbers = numbers ? c.add(numbers, from) : from;
  }
  if (batch) {
    Value starts = c.countBy(product(data.take_front(depth)), product(index.take_front(batch)));
    Dims column(outer);
    std::fill(column.begin() + batch, column.end(), 1);
    numbers = c.add(numbers, c.reshape(starts, column));
  }
  for (Value position : positions)
    numbers = c.select(c.compare(ComparePredicate::gt, position, c.constant(Literal::scalar(0))),
                       numbers, c.constant(Literal::scalar(-1)));
  return numbers;
}

static void convertGatherND(Converter &c) {
  int64_t batch = c.integer("batch_dims", 0);
  if (batch < 0 || batch >= c.rank(0) || batch >= c.rank(1) ||
      c.dims(0).take_front(batch) != c.dims(1).take_front(batch)) {
    c.fail("expected batch_dims that data and indices share");
    return;
  }
  Value numbers = rowNumbers(c, batch);
  if (!numbers)
    return;
  int64_t depth = batch + c.dims(1).back();
  ArrayRef<int64_t> inner = c.dims(0).drop_front(depth);
  Value rows = c.reshape(c.in(0), {product(c.dims(0).take_front(depth)), product(inner)});
  Dims dims(c.dims(1).drop_back());
  llvm::append_range(dims, inner);
  c.set(0, c.reshape(c.make<train::GatherOp>({rows, numbers}), dims));
}

static void convertScatterND(Converter &c) {
  Value numbers = rowNumbers(c, 0);
  if (!numbers)
    return;
  int64_t depth = c.dims(1).back();
  int64_t inner = product(c.dims(0).drop_front(depth)), many = product(c.dims(1).drop_back());
  Value rows = c.reshape(c.in(0), {product(c.dims(0).take_front(depth)), inner});
  Value y = scatteredRows(c, rows, c.reshape(c.in(2), {many, inner}), c.reshape(numbers, {many}));
  c.set(0, c.reshape(y, c.dims(0)));
}

/// Positions of the reversed sequences, [sequences, steps]: `length - 1 - t` for a step t in front
/// of the sequence's length, else t.
static Value reversedSteps(Converter &c, int64_t steps) {
  Value length = c.reshape(c.in(1), {c.dims(1)[0], 1}), t = c.countBy(1, steps);
  if (!length || !t)
    return {};
  length = c.cast(length, Converter::elementOf(t));
  Value last = c.sub(length, c.constant(Literal::scalar(1)));
  return c.select(c.compare(ComparePredicate::lt, t, length), c.sub(last, t), t);
}

/// Rows of [sequences x steps] by number, since sequences differ in their lengths; a reversed axis
/// where each length is known and whole.
static void convertReverseSequence(Converter &c) {
  int64_t time = c.integer("time_axis", 0), batch = c.integer("batch_axis", 1);
  if (c.rank(0) < 2 || time + batch != 1 || time * batch != 0 || c.rank(1) != 1 ||
      c.dims(1)[0] != c.dims(0)[batch]) {
    c.fail("expected a batch and a time axis, 0 and 1, and one length per sequence");
    return;
  }
  Dims dims(c.dims(0));
  int64_t steps = dims[time], sequences = dims[batch];
  const Literal *known = c.literal(1);
  if (known && llvm::any_of(known->ints, [&](int64_t at) { return at < 0 || at > steps; })) {
    c.fail("expected lengths in [0, " + Twine(steps) + "]");
    return;
  }
  if (known && llvm::all_equal(known->ints) && llvm::is_contained(known->ints, steps)) {
    return c.set(0, c.make<train::ReverseOp>(c.in(0), c.attr("dims", Dims{time})));
  }
  if (!checkElements(c, dims))
    return;
  // Row t of sequence b: t * sequences + b, or b * steps + t.
  Value step = reversedSteps(c, steps), start = c.countBy(time ? steps : 1, sequences);
  if (!step || !start)
    return;
  if (!time)
    step = c.mul(step, c.constant(Literal::scalar(sequences)));
  Value numbers = c.add(step, c.reshape(start, {sequences, 1}));
  if (!time)
    numbers = c.transpose(numbers, {1, 0});
  Value rows = c.reshape(c.in(0), {steps * sequences, product(ArrayRef(dims).drop_front(2))});
  c.set(0, c.reshape(c.make<train::GatherOp>({rows, numbers}), dims));
}

static void convertOneHot(Converter &c) {
  auto depth = c.numbers(1, "a depth");
  const Literal *values = c.setting(2);
  int64_t rank = c.rank(0);
  if (!depth)
    return;
  if (depth->size() != 1 || depth->front() < 1 || !values || values->count() != 2) {
    c.fail("expected a constant depth and two constant values");
    return;
  }
  int64_t axis = c.axis(c.integer("axis", -1), rank + 1);
  // An index outside [-depth, depth) selects no class.
  int64_t size = depth->front();
  Value index;
  if (const Literal *known = c.literal(0)) {
    Literal classes = castLiteral(*known, onnx::Type::I64);
    for (int64_t &at : classes.ints)
      at = at < -size || at >= size ? -1 : at < 0 ? at + size : at;
    index = c.constant(classes);
  } else if ((index = fromStart(c, c.in(0), size))) {
    index = c.cast(index, c.b.getI32Type());
  }
  if (axis < 0 || !index)
    return;
  Dims dims(Converter::shapeOf(index));
  dims.push_back(depth->front());
  mlir::Type real = c.type(2) == onnx::Type::F64 ? mlir::Type(c.b.getF64Type()) : c.b.getF32Type();
  Value hot = c.make<train::OneHotOp>(index, {}, RankedTensorType::get(dims, real));
  if (!hot)
    return;
  double off = values->real(0), on = values->real(1);
  if (off != 0 || on != 1)
    hot = c.add(c.mul(hot, c.real(on - off, hot)), c.real(off, hot));
  if (!onnx::isReal(c.type(2)))
    hot = c.cast(hot, c.b.getI32Type());
  Dims order;
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(i);
  order.insert(order.begin() + axis, rank);
  c.set(0, c.transpose(hot, order));
}

static const Entry entries[] = {
    {"Gather", convertGather},
    {"GatherElements", convertGatherElements},
    {"GatherND", convertGatherND},
    {"OneHot", convertOneHot},
    {"ReverseSequence", convertReverseSequence},
    {"ScatterElements", convertScatterElements},
    {"Scatter", convertScatterElements},
    {"ScatterND", convertScatterND},
};

ArrayRef<Entry> ampc::onnx::indexEntries() { return entries; }
