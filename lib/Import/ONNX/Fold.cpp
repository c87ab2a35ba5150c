// Nodes whose inputs are known: shape arithmetic, and what exporters left unfolded.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"
#include <cmath>

using namespace ampc;
using namespace ampc::onnx;

namespace {
using Fold = bool (*)(Converter &c);
using Number = double (*)(double, double);
using Whole = int64_t (*)(int64_t, int64_t);
} // namespace

/// A literal can have this shape.
static bool fits(llvm::ArrayRef<int64_t> dims) {
  return llvm::all_of(dims, [](int64_t size) { return size >= 0; }) &&
         countOf(dims) <= mostElements;
}
static bool give(Converter &c, Literal literal) {
  c.set(0, std::move(literal));
  return true;
}
/// The same elements with another shape.
static bool reshaped(Converter &c, llvm::ArrayRef<int64_t> dims) {
  Literal literal = *c.literal(0);
  if (!fits(dims) || countOf(dims) != literal.count())
    return false;
  literal.dims = Dims(dims);
  return give(c, std::move(literal));
}

// ---- Element by element ----

template <typename Compute>
static bool elementwise(Converter &c, onnx::Type type, Compute compute) {
  const Literal &a = *c.literal(0), &b = *c.literal(c.inputs() > 1 ? 1 : 0);
  auto dims = broadcastShape(a.dims, b.dims);
  if (!dims || !fits(*dims))
    return false;
  Literal result(type, *dims);
  Broadcast left(a.dims, *dims), right(b.dims, *dims);
  for (int64_t i = 0; i < result.count(); ++i)
    compute(result, i, a, left.at(i), b, right.at(i));
  return give(c, std::move(result));
}

/// Integers stay integers.
template <Number real, Whole whole> static bool arithmetic(Converter &c) {
  return elementwise(
      c, c.type(0),
      [](Literal &result, int64_t i, const Literal &a, int64_t at, const Literal &b, int64_t bt) {
        if (a.isReal())
          result.set(i, real(a.reals[at], b.real(bt)));
        else
          result.set(i, whole(a.ints[at], b.integer(bt)));
      });
}
template <Number truth> static bool comparison(Converter &c) {
  return elementwise(c, onnx::Type::Bool,
                     [](Literal &result, int64_t i, const Literal &a, int64_t at, const Literal &b,
                        int64_t bt) { result.set(i, int64_t(truth(a.real(at), b.real(bt)))); });
}
template <double (*compute)(double)> static bool onReals(Converter &c) {
  if (!c.literal(0)->isReal())
    return false;
  return elementwise(c, c.type(0),
                     [](Literal &result, int64_t i, const Literal &a, int64_t at, const Literal &,
                        int64_t) { result.set(i, compute(a.reals[at])); });
}

// Arithmetic of integers wraps around.
static int64_t wrapAdd(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
static int64_t wrapSub(int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); }
static int64_t wrapMul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
static int64_t wholeDiv(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? wrapSub(0, a) : a / b;
}
static int64_t wholeMod(int64_t a, int64_t b) {
  if (b == 0 || b == -1)
    return 0;
  int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
static double floorMod(double a, double b) { return a - b * std::floor(a / b); }
static double realAdd(double a, double b) { return a + b; }
static double realSub(double a, double b) { return a - b; }
static double realMul(double a, double b) { return a * b; }
static double realDiv(double a, double b) { return a / b; }
static double realMin(double a, double b) { return std::min(a, b); }
static double realMax(double a, double b) { return std::max(a, b); }
static double realPow(double a, double b) { return std::pow(a, b); }
static int64_t wholeMin(int64_t a, int64_t b) { return std::min(a, b); }
static int64_t wholeMax(int64_t a, int64_t b) { return std::max(a, b); }
static int64_t wholePow(int64_t a, int64_t b) { return int64_t(std::llround(std::pow(a, b))); }
static double equal(double a, double b) { return a == b; }
static double less(double a, double b) { return a < b; }
static double lessOrEqual(double a, double b) { return a <= b; }
static double greater(double a, double b) { return a > b; }
static double greaterOrEqual(double a, double b) { return a >= b; }
static double both(double a, double b) { return a != 0 && b != 0; }
static double either(double a, double b) { return a != 0 || b != 0; }
static double one(double a, double b) { return (a != 0) != (b != 0); }
static double realNot(double a, double) { return a == 0; }
static double realNeg(double a, double) { return -a; }
static int64_t wholeNeg(int64_t a, int64_t) { return wrapSub(0, a); }
static double realAbs(double a, double) { return std::fabs(a); }
static int64_t wholeAbs(int64_t a, int64_t) { return a < 0 ? wrapSub(0, a) : a; }
static double reciprocal(double a) { return 1 / a; }

static bool foldCast(Converter &c) {
  auto to = c.node.op == "CastLike" ? c.type(1) : static_cast<onnx::Type>(c.integer("to", 1));
  if (!bytesOf(to))
    return false;
  const Literal &x = *c.literal(0);
  Literal result(to, x.dims);
  for (int64_t i = 0; i < x.count(); ++i)
    if (x.isReal())
      result.set(i, x.reals[i]);
    else
      result.set(i, x.ints[i]);
  return give(c, std::move(result));
}

static bool foldWhere(Converter &c) {
  auto dims = broadcastShape(c.dims(1), c.dims(2));
  if (dims)
    dims = broadcastShape(*dims, c.dims(0));
  if (!dims || !fits(*dims) || c.type(1) != c.type(2))
    return false;
  const Literal &condition = *c.literal(0);
  Literal result(c.type(1), *dims);
  Broadcast at[] = {Broadcast(condition.dims, *dims), Broadcast(c.dims(1), *dims),
                    Broadcast(c.dims(2), *dims)};
  for (int64_t i = 0; i < result.count(); ++i) {
    unsigned from = condition.integer(at[0].at(i)) ? 1 : 2;
    result.copy(i, *c.literal(from), at[from].at(i));
  }
  return give(c, std::move(result));
}

// ---- Moves ----

static bool foldConcat(Converter &c) {
  Dims dims(c.dims(0));
  int64_t axis = c.axisOf(0, 0);
  if (axis < 0)
    return false;
  dims[axis] = 0;
  for (unsigned i = 0; i < c.inputs(); ++i) {
    if (c.dims(i).size() != dims.size() || c.type(i) != c.type(0))
      return false;
    dims[axis] += c.dims(i)[axis];
  }
  if (!fits(dims))
    return false;
  Literal result(c.type(0), dims);
  int64_t inner = 1, at = 0;
  for (size_t i = axis + 1; i < dims.size(); ++i)
    inner *= dims[i];
  int64_t outer = dims[axis] * inner ? result.count() / (dims[axis] * inner) : 0;
  for (int64_t o = 0; o < outer; ++o)
    for (unsigned i = 0; i < c.inputs(); ++i) {
      int64_t part = c.dims(i)[axis] * inner;
      if (c.literal(i)->count() != outer * part)
        return false;
      for (int64_t k = 0; k < part; ++k)
        result.copy(at++, *c.literal(i), o * part + k);
    }
  return give(c, std::move(result));
}

static bool foldGather(Converter &c) {
  const Literal &x = *c.literal(0), &index = *c.literal(1);
  int64_t axis = c.axisOf(0, 0);
  if (axis < 0)
    return false;
  for (int64_t at : index.ints)
    if (at < -x.dims[axis] || at >= x.dims[axis])
      return c.fail("expected indices in [" + llvm::Twine(-x.dims[axis]) + ", " +
                    llvm::Twine(x.dims[axis]) + "), but got " + llvm::Twine(at));
  Dims dims(llvm::ArrayRef(x.dims).take_front(axis)), strides = stridesOf(x.dims);
  llvm::append_range(dims, index.dims);
  llvm::append_range(dims, llvm::ArrayRef(x.dims).drop_front(axis + 1));
  if (!fits(dims))
    return false;
  size_t many = index.dims.size();
  Dims own = stridesOf(index.dims);
  return give(c, rearranged(x, dims, [&](llvm::ArrayRef<int64_t> position) {
                int64_t from = 0, which = 0;
                for (size_t i = 0; i < position.size(); ++i) {
                  if (int64_t(i) < axis)
                    from += position[i] * strides[i];
                  else if (i < axis + many)
                    which += position[i] * own[i - axis];
                  else
                    from += position[i] * strides[i - many + 1];
                }
                int64_t at = index.ints[which];
                return from + (at < 0 ? at + x.dims[axis] : at) * strides[axis];
              }));
}

static bool foldTranspose(Converter &c) {
  const Literal &x = *c.literal(0);
  Dims order = c.ints("perm").value_or(Dims(llvm::reverse(llvm::seq<int64_t>(x.dims.size()))));
  Dims dims, strides = stridesOf(x.dims), sorted = order;
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(x.dims.size())))
    return false;
  for (int64_t from : order)
    dims.push_back(x.dims[from]);
  return give(c, rearranged(x, dims, [&](llvm::ArrayRef<int64_t> position) {
                int64_t from = 0;
                for (size_t i = 0; i < position.size(); ++i)
                  from += position[i] * strides[order[i]];
                return from;
              }));
}

static bool foldExpand(Converter &c) {
  auto shape = c.numbers(1, "a shape");
  auto dims = shape ? broadcastShape(c.dims(0), *shape) : std::nullopt;
  if (!dims || !fits(*dims))
    return false;
  const Literal &x = *c.literal(0);
  Literal result(x.type, *dims);
  Broadcast from(x.dims, *dims);
  for (int64_t i = 0; i < result.count(); ++i)
    result.copy(i, x, from.at(i));
  return give(c, std::move(result));
}

static bool foldTrilu(Converter &c) {
  Literal x = *c.literal(0);
  int64_t rank = x.dims.size(), k = c.literal(1) ? c.literal(1)->integer(0) : 0;
  if (rank < 2 || (c.has(1) && !c.literal(1)))
    return false;
  int64_t columns = x.dims[rank - 1], rows = x.dims[rank - 2];
  bool upper = c.integer("upper", 1);
  for (int64_t i = 0; i < x.count(); ++i) {
    int64_t ahead = i % columns - i / columns % rows;
    if (upper ? ahead < k : ahead > k)
      x.set(i, int64_t(0));
  }
  return give(c, std::move(x));
}

// ---- Made from shapes ----

static bool foldShape(Converter &c) {
  llvm::ArrayRef<int64_t> dims = c.dims(0);
  int64_t rank = dims.size();
  auto bound = [&](llvm::StringRef name, int64_t otherwise) {
    int64_t at = c.integer(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = bound("start", 0), end = bound("end", rank);
  return give(c, Literal::of(dims.slice(start, std::max<int64_t>(end - start, 0))));
}
static bool foldSize(Converter &c) {
  int64_t count = 1;
  for (int64_t size : c.dims(0))
    if (__builtin_mul_overflow(count, size, &count))
      return false;
  return give(c, Literal::scalar(count));
}

static bool foldConstant(Converter &c) {
  for (const Attribute &attribute : c.node.attributes) {
    if (attribute.name == "value") {
      auto literal = readLiteral(attribute.tensor);
      if (!literal)
        return c.fail(attribute.tensor.fault.empty()
                          ? "expected at most " + std::to_string(mostElements) + " elements"
                          : attribute.tensor.fault);
      return give(c, std::move(*literal));
    }
    if (attribute.name == "value_float")
      return give(c, Literal::scalar(onnx::Type::F32, attribute.real));
    if (attribute.name == "value_int")
      return give(c, Literal::scalar(attribute.integer));
    if (attribute.name == "value_ints")
      return give(c, Literal::of(attribute.ints));
    if (attribute.name == "value_floats") {
      Literal literal(onnx::Type::F32, {int64_t(attribute.reals.size())});
      for (auto [i, value] : llvm::enumerate(attribute.reals))
        literal.set(i, double(value));
      return give(c, std::move(literal));
    }
  }
  return c.fail("expected a dense tensor of numbers");
}

static bool foldConstantOfShape(Converter &c) {
  auto dims = c.numbers(0, "a shape");
  if (!dims || !fits(*dims))
    return false;
  const Attribute *value = c.node.find("value");
  auto element = value ? readLiteral(value->tensor) : Literal(onnx::Type::F32, {1});
  if (!element || element->count() != 1)
    return false;
  Literal result(element->type, *dims);
  for (int64_t i = 0; i < result.count(); ++i)
    result.copy(i, *element, 0);
  return give(c, std::move(result));
}

static bool foldRange(Converter &c) {
  const Literal &start = *c.literal(0), &limit = *c.literal(1), &delta = *c.literal(2);
  if (start.count() != 1 || limit.count() != 1 || delta.count() != 1 || delta.real(0) == 0)
    return false;
  double steps = std::ceil((limit.real(0) - start.real(0)) / delta.real(0));
  if (!(steps <= double(mostElements)))
    return false;
  Literal result(start.type, {int64_t(std::max(steps, 0.0))});
  for (int64_t i = 0; i < result.count(); ++i)
    if (start.isReal())
      result.set(i, start.reals[0] + double(i) * delta.reals[0]);
    else
      result.set(i, start.ints[0] + i * delta.integer(0));
  return give(c, std::move(result));
}

static bool foldNonZero(Converter &c) {
  const Literal &x = *c.literal(0);
  Dims found;
  for (int64_t i = 0; i < x.count(); ++i)
    if (x.real(i) != 0)
      found.push_back(i);
  int64_t rank = x.dims.size(), many = found.size();
  Literal result(onnx::Type::I64, {rank, many});
  for (int64_t k = 0; k < many; ++k) {
    int64_t rest = found[k];
    for (int64_t d = rank - 1; d >= 0; --d) {
      result.ints[d * many + k] = rest % x.dims[d];
      rest /= x.dims[d];
    }
  }
  return give(c, std::move(result));
}

template <Number real, Whole whole> static bool reduction(Converter &c) {
  const Literal &x = *c.literal(0);
  int64_t rank = x.dims.size();
  auto given = c.numbersOf("axes", 1);
  if (!given && c.integer("noop_with_empty_axes", 0))
    return give(c, x);
  llvm::SmallVector<bool> isOut(rank, !given || given->empty());
  for (int64_t number : given.value_or(Dims())) {
    int64_t axis = c.axis(number, rank);
    if (axis < 0)
      return false;
    isOut[axis] = true;
  }
  Dims kept, dims;
  for (int64_t i = 0; i < rank; ++i) {
    kept.push_back(isOut[i] ? 1 : x.dims[i]);
    if (!isOut[i] || c.integer("keepdims", 1))
      dims.push_back(kept.back());
  }
  if (x.count() == 0)
    return false;
  Literal result(x.type, dims);
  std::vector<bool> hasValue(result.count());
  Broadcast to(kept, x.dims);
  for (int64_t i = 0; i < x.count(); ++i) {
    int64_t at = to.at(i);
    if (!hasValue[at])
      result.copy(at, x, i);
    else if (x.isReal())
      result.set(at, real(result.reals[at], x.reals[i]));
    else
      result.set(at, whole(result.ints[at], x.ints[i]));
    hasValue[at] = true;
  }
  return give(c, std::move(result));
}

namespace {
struct Row {
  Fold fold;
  bool needsValues = true; ///< not only shapes
};
} // namespace

static const llvm::StringMap<Row> &rows() {
  static const llvm::StringMap<Row> table = {
      {"Constant", {foldConstant, false}},
      {"Shape", {foldShape, false}},
      {"Size", {foldSize, false}},
      {"Abs", {arithmetic<realAbs, wholeAbs>}},
      {"Add", {arithmetic<realAdd, wrapAdd>}},
      {"And", {comparison<both>}},
      {"Cast", {foldCast}},
      {"CastLike", {foldCast}},
      {"Ceil", {onReals<std::ceil>}},
      {"Concat", {foldConcat}},
      {"ConstantOfShape", {foldConstantOfShape}},
      {"Div", {arithmetic<realDiv, wholeDiv>}},
      {"Equal", {comparison<equal>}},
      {"Exp", {onReals<std::exp>}},
      {"Expand", {foldExpand}},
      {"Floor", {onReals<std::floor>}},
      {"Gather", {foldGather}},
      {"Greater", {comparison<greater>}},
      {"GreaterOrEqual", {comparison<greaterOrEqual>}},
      {"Less", {comparison<less>}},
      {"LessOrEqual", {comparison<lessOrEqual>}},
      {"Log", {onReals<std::log>}},
      {"Mod", {arithmetic<floorMod, wholeMod>}},
      {"Mul", {arithmetic<realMul, wrapMul>}},
      {"Neg", {arithmetic<realNeg, wholeNeg>}},
      {"NonZero", {foldNonZero}},
      {"Not", {comparison<realNot>}},
      {"Or", {comparison<either>}},
      {"Pow", {arithmetic<realPow, wholePow>}},
      {"Range", {foldRange}},
      {"Reciprocal", {onReals<reciprocal>}},
      {"ReduceMax", {reduction<realMax, wholeMax>}},
      {"ReduceMin", {reduction<realMin, wholeMin>}},
      {"ReduceProd", {reduction<realMul, wrapMul>}},
      {"ReduceSum", {reduction<realAdd, wrapAdd>}},
      {"Sqrt", {onReals<std::sqrt>}},
      {"Sub", {arithmetic<realSub, wrapSub>}},
      {"Transpose", {foldTranspose}},
      {"Trilu", {foldTrilu}},
      {"Where", {foldWhere}},
      {"Xor", {comparison<one>}},
  };
  return table;
}

/// Max and Min of two; of more the converters of values are as good.
static Fold extremum(Converter &c) {
  if (c.inputs() != 2)
    return nullptr;
  return c.node.op == "Max"   ? Fold(arithmetic<realMax, wholeMax>)
         : c.node.op == "Min" ? Fold(arithmetic<realMin, wholeMin>)
                              : nullptr;
}

bool ampc::onnx::fold(Converter &c) {
  auto found = rows().find(c.node.op);
  Row row = found != rows().end() ? found->second : Row{extremum(c)};
  if (!row.fold)
    return false;
  for (unsigned i = 0; row.needsValues && i < c.inputs(); ++i)
    if (c.has(i) && !c.literal(i))
      return false;
  if (row.needsValues && (!c.inputs() || !c.has(0)))
    return false;
  return row.fold(c);
}

/// Moves that only change the shape are the converters' to call, as they know which it becomes.
bool ampc::onnx::reshapeKnown(Converter &c, llvm::ArrayRef<int64_t> dims) {
  return c.literal(0) && reshaped(c, dims);
}
