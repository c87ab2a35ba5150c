// Nodes that read and write elements by number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"
#include "mlir-dialects/Train/Indexing.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;
using train::ComparePredicate;

/// Numbers that count from the end, as those from the start.
static Value fromStart(Converter &c, Value index, int64_t size) {
  if (!index)
    return {};
  Value limit = c.real(double(size), index);
  Value isBehind = c.compare(ComparePredicate::lt, index, c.real(0, index));
  return c.select(isBehind, c.add(index, limit), index);
}

/// Indices of input `i` in [0, size): known ones are checked here.
static Value indexOf(Converter &c, unsigned i, int64_t size) {
  const Literal *known = c.literal(i);
  if (!known || known->isReal())
    return fromStart(c, c.in(i), size);
  Literal index = *known;
  for (int64_t &at : index.ints) {
    if (at < -size || at >= size)
      return c.fail("expected indices in [" + Twine(-size) + ", " + Twine(size) + "), but got " +
                    Twine(at));
    at += at < 0 ? size : 0;
  }
  return c.constant(index);
}

static void convertGather(Converter &c) {
  int64_t axis = c.axisOf(0, 0);
  if (axis < 0)
    return;
  int64_t size = c.dims(0)[axis];
  const Literal *known = c.literal(1);
  if (!known)
    return c.set(0, c.take(c.in(0), axis, c.in(1)));
  if (known->dims.size() > 1)
    return c.set(0, c.take(c.in(0), axis, indexOf(c, 1, size)));
  Dims index;
  for (int64_t at : known->ints) {
    if (at < -size || at >= size) {
      c.fail("expected indices in [" + Twine(-size) + ", " + Twine(size) + "), but got " +
             Twine(at));
      return;
    }
    index.push_back(at < 0 ? at + size : at);
  }
  Value y = c.take(c.in(0), axis, index);
  Dims dims(c.dims(0));
  dims.erase(dims.begin() + axis);
  c.set(0, known->dims.empty() ? c.reshape(y, dims) : y);
}

/// The row-major number of the element of `dims` that `index` names along `axis`, at every place
/// of the index.
static Value elementNumbers(Converter &c, Value index, ArrayRef<int64_t> dims, int64_t axis) {
  if (!index)
    return {};
  Dims shape(Converter::shapeOf(index)), strides = stridesOf(dims);
  Value stride = c.constant(Literal::scalar(strides[axis]));
  Value numbers = strides[axis] == 1 ? index : c.mul(index, stride);
  for (size_t d = 0; d < dims.size(); ++d) {
    if (int64_t(d) == axis || shape[d] == 1)
      continue;
    Dims column(shape.size(), 1);
    column[d] = shape[d];
    numbers = c.add(numbers, c.reshape(c.countBy(strides[d], shape[d]), column));
  }
  return numbers;
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

/// One logarithm of a probability per row, by the row's class, as a written-out cross entropy has
/// it. A class is counted from the start, and checked.
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

/// Data and indices as an op along a dimension wants them: along `axis` if their other dimensions
/// agree, with indices that may count from the end; else all elements by their numbers.
namespace {
struct Lines {
  Dims data, index;
  int64_t axis;
  Value at;
  bool fromEnd = false;
};
} // namespace

static std::optional<Lines> linesOf(Converter &c) {
  int64_t axis = c.axisOf(0, 0);
  if (axis < 0 || !checkElements(c, c.dims(0)))
    return std::nullopt;
  if (c.rank(1) != c.rank(0)) {
    c.fail("expected indices of as many dimensions as the data");
    return std::nullopt;
  }
  Dims data(c.dims(0)), index(c.dims(1)), alike(data);
  alike[axis] = index[axis];
  bool isKnown = c.literal(1), agrees = alike == index;
  if (agrees)
    return Lines{data, index, axis, isKnown ? indexOf(c, 1, data[axis]) : c.in(1), !isKnown};
  Value numbers = elementNumbers(c, indexOf(c, 1, data[axis]), data, axis);
  return Lines{{product(data)}, {product(index)}, 0, c.reshape(numbers, {product(index)})};
}

static SmallVector<NamedAttribute> attributesOf(Converter &c, const Lines &lines) {
  SmallVector<NamedAttribute> attributes = {c.attr("dim", lines.axis)};
  if (lines.fromEnd)
    attributes.push_back(c.flag("from_end"));
  return attributes;
}

static void convertGatherElements(Converter &c) {
  if (c.rank(0) > 0 && c.rank(1) == c.rank(0))
    if (Value picked = pickLabels(c, c.axisOf(0, 0)))
      return c.set(0, picked);
  if (auto lines = linesOf(c)) {
    Value taken = c.make<train::TakeAlongAxisOp>({c.reshape(c.in(0), lines->data), lines->at},
                                                 attributesOf(c, *lines));
    c.set(0, c.reshape(taken, c.dims(1)));
  }
}

/// `updates` added to zeros of `count` rows.
static Value scatter(Converter &c, Value updates, Value numbers, int64_t count) {
  if (!updates || !numbers)
    return {};
  Dims dims = {count};
  llvm::append_range(dims,
                     Converter::shapeOf(updates).drop_front(Converter::shapeOf(numbers).size()));
  return c.make<train::ScatterAddOp>({updates, numbers}, {},
                                     RankedTensorType::get(dims, Converter::elementOf(updates)));
}

/// Updates of elements along a dimension, combined as the node says.
static Value scatterAlong(Converter &c, Value x, Value updates, Value index,
                          SmallVector<NamedAttribute> attributes) {
  std::string how = c.text("reduction", "none");
  auto mode = train::symbolizeScatterMode(how == "none" ? "set" : how);
  if (!mode)
    return c.fail("expected the reduction none, add, mul, max or min, but got " + how);
  attributes.push_back(
      c.b.getNamedAttr("mode", train::ScatterModeAttr::get(c.b.getContext(), *mode)));
  return c.make<train::ScatterOp>({updates, index, x}, attributes);
}

static void convertScatterElements(Converter &c) {
  auto lines = linesOf(c);
  if (!lines)
    return;
  if (c.dims(1) != c.dims(2)) {
    c.fail("expected indices and updates of one shape");
    return;
  }
  Value y = scatterAlong(c, c.reshape(c.in(0), lines->data), c.reshape(c.in(2), lines->index),
                         lines->at, attributesOf(c, *lines));
  c.set(0, c.reshape(y, c.dims(0)));
}

/// Rows of `x` by number: those that are named are replaced, or combined with the updates.
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
  // Where a number occurs twice, ONNX leaves open what comes of it.
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

/// Row numbers from the last dimension of the indices, which names one element of the first
/// dimensions of the data; nothing with a fault noted.
static Value rowNumbers(Converter &c, int64_t batch) {
  ArrayRef<int64_t> data = c.dims(0).drop_front(batch), index = c.dims(1);
  int64_t depth = index.empty() ? 0 : index.back();
  if (depth < 1 || depth > int64_t(data.size()))
    return c.fail("expected indices whose last dimension names dimensions of the data");
  Dims outer(index.drop_back()), strides = stridesOf(data.take_front(depth));
  const Literal *known = c.literal(1);
  if (known) {
    Literal numbers(onnx::Type::I64, outer);
    for (int64_t i = 0; i < numbers.count(); ++i)
      for (int64_t d = 0; d < depth; ++d) {
        int64_t at = known->ints[i * depth + d];
        if (at < -data[d] || at >= data[d])
          return c.fail("expected an index in [0, " + Twine(data[d]) + "), but got " + Twine(at));
        numbers.ints[i] += (at < 0 ? at + data[d] : at) * strides[d];
      }
    return c.constant(numbers);
  }
  Value numbers;
  for (int64_t d = 0; d < depth; ++d) {
    Value at = c.take(c.in(1), index.size() - 1, Dims{d});
    at =
        c.mul(fromStart(c, c.reshape(at, outer), data[d]), c.constant(Literal::scalar(strides[d])));
    numbers = numbers ? c.add(numbers, at) : at;
  }
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
  if (batch) {
    // Rows of each batch follow those of the one before.
    Value starts = c.countBy(product(c.dims(0).slice(batch, depth - batch)),
                             product(c.dims(1).take_front(batch)));
    Dims column(c.dims(1).drop_back());
    std::fill(column.begin() + batch, column.end(), 1);
    numbers = c.add(numbers, c.reshape(starts, column));
  }
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

static void convertOneHot(Converter &c) {
  auto depth = c.numbers(1, "a depth");
  const Literal *values = c.setting(2);
  int64_t rank = c.rank(0);
  if (!depth)
    return;
  if (depth->size() != 1 || depth->front() < 1 || !values || values->count() != 2) {
    c.fail("expected a depth and two values that are known");
    return;
  }
  int64_t axis = c.axis(c.integer("axis", -1), rank + 1);
  Value index = indexOf(c, 0, depth->front());
  if (index)
    index = c.cast(index, c.b.getI32Type());
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
    {"ScatterElements", convertScatterElements},
    {"Scatter", convertScatterElements},
    {"ScatterND", convertScatterND},
};

ArrayRef<Entry> ampc::onnx::indexEntries() { return entries; }
