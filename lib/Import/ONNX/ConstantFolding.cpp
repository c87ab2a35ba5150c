// Constant folding of nodes with known inputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/ConstantFolding.h"
#include <cmath>

using namespace ampc;
using namespace ampc::onnx;
using llvm::ArrayRef;
using train::ComparePredicate;

bool ampc::onnx::isKnown(const Converter &c) {
  for (unsigned i = 0; i < c.inputs(); ++i)
    if (c.has(i) && !c.literal(i))
      return false;
  return c.has(0);
}

/// Whether a literal of this shape is allowed.
static bool fits(ArrayRef<int64_t> dims) {
  return llvm::all_of(dims, [](int64_t size) { return size >= 0; }) &&
         countOf(dims) <= mostElements;
}

bool ampc::onnx::give(Converter &c, std::optional<Literal> literal) {
  if (!literal)
    return false;
  c.set(0, std::move(*literal));
  return true;
}

// ---- Scalar functions ----

static int64_t wrapAdd(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
static int64_t wrapSub(int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); }
static int64_t wrapMul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
/// Quotient rounded towards zero; 0 for a division by 0, as in programs.
static int64_t wholeDiv(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? wrapSub(0, a) : a / b;
}
/// Remainder with the sign of the dividend.
static int64_t wholeFmod(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
/// Remainder with the sign of the divisor.
static int64_t wholeMod(int64_t a, int64_t b) {
  int64_t rest = wholeFmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
static double realMod(double a, double b) {
  double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
static int64_t wholePow(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  int64_t result = 1;
  for (; exponent; exponent >>= 1, base = wrapMul(base, base))
    if (exponent & 1)
      result = wrapMul(result, base);
  return result;
}
/// NaN if either operand is NaN, as in programs.
static double realMin(double a, double b) { return std::isnan(b) || b < a ? b : a; }
static double realMax(double a, double b) { return std::isnan(b) || b > a ? b : a; }

#define REAL(EXPRESSION) [](double a, double b) -> double { return (void)b, (EXPRESSION); }
#define WHOLE(EXPRESSION) [](int64_t a, int64_t b) -> int64_t { return (void)b, (EXPRESSION); }

namespace ampc::onnx::scalar {
const Scalar abs = {REAL(std::fabs(a)), WHOLE(a < 0 ? wrapSub(0, a) : a)};
const Scalar add = {REAL(a + b), wrapAdd};
const Scalar sub = {REAL(a - b), wrapSub};
const Scalar mul = {REAL(a * b), wrapMul};
const Scalar div = {REAL(a / b), wholeDiv};
const Scalar mod = {realMod, wholeMod};
const Scalar fmod = {REAL(std::fmod(a, b)), wholeFmod};
const Scalar pow = {REAL(std::pow(a, b)), wholePow};
const Scalar neg = {REAL(-a), WHOLE(wrapSub(0, a))};
const Scalar min = {realMin, WHOLE(std::min(a, b))};
const Scalar max = {realMax, WHOLE(std::max(a, b))};
const Scalar ceil = {REAL(std::ceil(a)), nullptr};
const Scalar floor = {REAL(std::floor(a)), nullptr};
const Scalar exp = {REAL(std::exp(a)), nullptr};
const Scalar log = {REAL(std::log(a)), nullptr};
const Scalar sqrt = {REAL(std::sqrt(a)), nullptr};
const Scalar reciprocal = {REAL(1 / a), nullptr};
const Scalar logicalAnd = {nullptr, WHOLE(a &&b)};
const Scalar logicalOr = {nullptr, WHOLE(a || b)};
const Scalar logicalXor = {nullptr, WHOLE(!a != !b)};
const Scalar logicalNot = {nullptr, WHOLE(!a)};
} // namespace ampc::onnx::scalar

// ---- Element by element ----

/// Applies `compute` to the element numbers of both operands at each position of the common shape;
/// nothing if the shapes do not broadcast: [2, 1] x [3] -> [2, 3].
template <typename Compute>
static std::optional<Literal> zip(const Literal &a, const Literal &b, onnx::Type type,
                                  Compute compute) {
  auto dims = broadcastShape(a.dims, b.dims);
  if (!dims || !fits(*dims))
    return std::nullopt;
  Literal result(type, *dims);
  Broadcast left(a.dims, *dims), right(b.dims, *dims);
  for (int64_t i = 0; i < result.count(); ++i)
    compute(result, i, left.at(i), right.at(i));
  return result;
}

/// If either operand is real, such as the exponent of a power, both are computed as reals.
static std::optional<Literal> apply(const Scalar &function, const Literal &a, const Literal &b) {
  bool areReal = a.isReal() || b.isReal();
  if (areReal ? !function.real : !function.whole)
    return std::nullopt;
  return zip(a, b, a.type, [&](Literal &result, int64_t i, int64_t at, int64_t bt) {
    if (areReal)
      result.set(i, function.real(a.real(at), b.real(bt)));
    else
      result.set(i, function.whole(a.ints[at], b.ints[bt]));
  });
}

bool ampc::onnx::evaluate(Converter &c, const Scalar &function) {
  if (!isKnown(c))
    return false;
  std::optional<Literal> result = *c.literal(0);
  if (c.inputs() == 1)
    result = apply(function, *result, *result);
  for (unsigned i = 1; i < c.inputs() && result; ++i)
    result = c.literal(i) ? apply(function, *result, *c.literal(i)) : std::nullopt;
  return give(c, std::move(result));
}

template <typename T> static bool holds(ComparePredicate predicate, T a, T b) {
  switch (predicate) {
  case ComparePredicate::eq:
    return a == b;
  case ComparePredicate::ne:
    return a != b;
  case ComparePredicate::lt:
    return a < b;
  case ComparePredicate::le:
    return a <= b;
  case ComparePredicate::gt:
    return a > b;
  case ComparePredicate::ge:
    return a >= b;
  }
  llvm_unreachable("covered switch");
}

bool ampc::onnx::evaluateComparison(Converter &c, ComparePredicate predicate) {
  if (!isKnown(c) || !c.literal(1))
    return false;
  const Literal &a = *c.literal(0), &b = *c.literal(1);
  return give(c,
              zip(a, b, onnx::Type::Bool, [&](Literal &result, int64_t i, int64_t at, int64_t bt) {
                bool is = a.isReal() || b.isReal() ? holds(predicate, a.real(at), b.real(bt))
                                                   : holds(predicate, a.ints[at], b.ints[bt]);
                result.set(i, int64_t(is));
              }));
}

Literal ampc::onnx::castLiteral(const Literal &x, onnx::Type to) {
  Literal result(to, x.dims);
  for (int64_t i = 0; i < x.count(); ++i)
    if (x.isReal())
      result.set(i, x.reals[i]);
    else
      result.set(i, x.ints[i]);
  return result;
}

std::optional<Literal> ampc::onnx::selectLiteral(const Literal &condition, const Literal &x,
                                                 const Literal &y) {
  auto dims = broadcastShape(x.dims, y.dims);
  if (dims)
    dims = broadcastShape(*dims, condition.dims);
  if (!dims || !fits(*dims) || x.type != y.type)
    return std::nullopt;
  Literal result(x.type, *dims);
  Broadcast holds(condition.dims, *dims), left(x.dims, *dims), right(y.dims, *dims);
  for (int64_t i = 0; i < result.count(); ++i)
    if (condition.integer(holds.at(i)))
      result.copy(i, x, left.at(i));
    else
      result.copy(i, y, right.at(i));
  return result;
}

// ---- Moves ----

std::optional<Literal> ampc::onnx::concatLiterals(ArrayRef<const Literal *> parts, int64_t axis) {
  Dims dims(parts[0]->dims);
  dims[axis] = 0;
  for (const Literal *part : parts) {
    Dims alike(part->dims);
    if (alike.size() != dims.size() || part->type != parts[0]->type)
      return std::nullopt;
    dims[axis] += part->dims[axis];
    alike[axis] = dims[axis];
    if (alike != dims)
      return std::nullopt;
  }
  if (!fits(dims))
    return std::nullopt;
  Literal result(parts[0]->type, dims);
  int64_t inner = countOf(ArrayRef(dims).drop_front(axis + 1)), at = 0;
  for (int64_t outer = countOf(ArrayRef(dims).take_front(axis)), o = 0; o < outer; ++o)
    for (const Literal *part : parts)
      for (int64_t k = 0, size = part->dims[axis] * inner; k < size; ++k)
        result.copy(at++, *part, o * size + k);
  return result;
}

std::optional<Literal> ampc::onnx::gatherLiteral(const Literal &x, int64_t axis,
                                                 const Literal &index) {
  Dims dims(ArrayRef(x.dims).take_front(axis)), strides = stridesOf(x.dims);
  llvm::append_range(dims, index.dims);
  llvm::append_range(dims, ArrayRef(x.dims).drop_front(axis + 1));
  if (!fits(dims))
    return std::nullopt;
  size_t many = index.dims.size();
  Dims own = stridesOf(index.dims);
  return rearranged(x, dims, [&](ArrayRef<int64_t> position) {
    int64_t from = 0, which = 0;
    for (size_t i = 0; i < position.size(); ++i) {
      if (int64_t(i) < axis)
        from += position[i] * strides[i];
      else if (i < axis + many)
        which += position[i] * own[i - axis];
      else
        from += position[i] * strides[i - many + 1];
    }
    return from + index.ints[which] * strides[axis];
  });
}

std::optional<Literal> ampc::onnx::reshapeLiteral(const Literal &x, ArrayRef<int64_t> dims) {
  if (!fits(dims) || countOf(dims) != x.count())
    return std::nullopt;
  Literal result = x;
  result.dims = Dims(dims);
  return result;
}

std::optional<Literal> ampc::onnx::broadcastLiteral(const Literal &x, ArrayRef<int64_t> dims) {
  if (!fits(dims))
    return std::nullopt;
  Literal result(x.type, dims);
  Broadcast from(x.dims, dims);
  for (int64_t i = 0; i < result.count(); ++i)
    result.copy(i, x, from.at(i));
  return result;
}

Literal ampc::onnx::transposeLiteral(const Literal &x, ArrayRef<int64_t> order) {
  Dims dims, strides = stridesOf(x.dims);
  for (int64_t from : order)
    dims.push_back(x.dims[from]);
  return rearranged(x, dims, [&](ArrayRef<int64_t> position) {
    int64_t from = 0;
    for (size_t i = 0; i < position.size(); ++i)
      from += position[i] * strides[order[i]];
    return from;
  });
}

Literal ampc::onnx::triangleOf(const Literal &x, int64_t diagonal, bool upper) {
  Literal result = x;
  int64_t rank = x.dims.size(), columns = x.dims[rank - 1], rows = x.dims[rank - 2];
  for (int64_t i = 0; i < x.count(); ++i)
    if (int64_t ahead = i % columns - i / columns % rows;
        upper ? ahead < diagonal : ahead > diagonal)
      result.set(i, int64_t(0));
  return result;
}

// ---- Reductions ----

std::optional<Literal> ampc::onnx::reduceLiteral(const Literal &x, ArrayRef<int64_t> axes,
                                                 bool keep, const Scalar &function,
                                                 std::optional<double> empty) {
  Dims kept(x.dims), dims;
  for (int64_t axis : axes)
    kept[axis] = 1;
  for (size_t i = 0; i < kept.size(); ++i)
    if (keep || !llvm::is_contained(axes, int64_t(i)))
      dims.push_back(kept[i]);
  if ((x.count() == 0 && !empty) || !fits(dims))
    return std::nullopt;
  Literal result(x.type, dims);
  for (int64_t i = 0; empty && i < result.count(); ++i)
    result.set(i, *empty);
  std::vector<bool> hasValue(result.count());
  Broadcast to(kept, x.dims);
  for (int64_t i = 0; i < x.count(); ++i) {
    int64_t at = to.at(i);
    if (!hasValue[at])
      result.copy(at, x, i);
    else if (x.isReal())
      result.set(at, function.real(result.reals[at], x.reals[i]));
    else
      result.set(at, function.whole(result.ints[at], x.ints[i]));
    hasValue[at] = true;
  }
  return result;
}
