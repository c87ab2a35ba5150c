// Crop and resize: Resize with tf_crop_and_resize.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/CropResize.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

namespace {
/// Resampling of a dimension: the range [start, end], in fractions of the extent `from`, becomes
/// `to` elements.
struct Line {
  int64_t from, to;
  double start = 0, end = 1;

  bool isKept() const { return from == to && start == 0 && end == 1; }
  double place(int64_t at) const {
    double length = (end - start) * double(from - 1);
    return start * double(from - 1) + (to > 1 ? double(at) * length / double(to - 1) : length / 2);
  }
  bool isInside(int64_t at) const { return place(at) >= 0 && place(at) <= double(from - 1); }
};
} // namespace

/// Resampling of every dimension by the node's roi; nothing, with a fault recorded, if the roi is
/// unknown.
static std::optional<SmallVector<Line>> linesOf(Converter &c, ArrayRef<int64_t> to) {
  const Literal *region = c.setting(1);
  int64_t rank = c.rank(0);
  Dims axes = c.ints("axes").value_or(llvm::to_vector(llvm::seq<int64_t>(rank)));
  if (!region || region->count() != int64_t(2 * axes.size())) {
    c.fail("expected a known roi, with where every dimension begins and ends");
    return std::nullopt;
  }
  SmallVector<Line> lines;
  for (auto [from, size] : llvm::zip(c.dims(0), to))
    lines.push_back({from, size});
  for (auto [i, number] : llvm::enumerate(axes)) {
    int64_t axis = c.axis(number, rank);
    if (axis < 0)
      return std::nullopt;
    lines[axis].start = region->real(i);
    lines[axis].end = region->real(axes.size() + i);
    // The comparison also rejects NaN.
    if (!(std::fabs(lines[axis].start) < 1 << 20 && std::fabs(lines[axis].end) < 1 << 20)) {
      c.fail("expected a roi of shares of the tensor");
      return std::nullopt;
    }
  }
  return lines;
}

/// Interpolates along a dimension: each result from the elements around its source position.
static Value interpolate(Converter &c, Value x, int64_t dim, const Line &line,
                         const train::Interpolation &how) {
  if (how.mode == train::ResizeMode::nearest) {
    Dims index;
    for (int64_t at = 0; at < line.to; ++at)
      index.push_back(how.nearestTo(line.place(at), line.from));
    return c.take(x, dim, index);
  }
  if (line.from * line.to > mostElements)
    return c.fail("expected at most " + Twine(mostElements) +
                  " shares of elements along a dimension");
  Literal shares(onnx::Type::F32, {line.to, line.from});
  for (int64_t at = 0; at < line.to; ++at)
    how.addShares(line.place(at), MutableArrayRef(shares.reals).slice(at * line.from, line.from));
  Dims shape(c.shapeOf(x));
  int64_t before = countOf(ArrayRef(shape).take_front(dim)),
          behind = countOf(ArrayRef(shape).drop_front(dim + 1));
  Value product =
      c.make<train::MatmulOp>({c.constant(shares), c.reshape(x, {before, line.from, behind})});
  shape[dim] = line.to;
  return c.reshape(product, shape);
}

/// Replaces elements by `value` where the source position is outside.
static Value fillOutside(Converter &c, Value x, int64_t dim, const Line &line, double value) {
  if (!x)
    return {};
  Dims shape(c.shapeOf(x).size(), 1);
  shape[dim] = line.to;
  Literal outside(onnx::Type::Bool, shape);
  for (int64_t at = 0; at < line.to; ++at)
    outside.set(at, int64_t(!line.isInside(at)));
  Dims whole(c.shapeOf(x));
  return c.select(c.broadcastTo(c.constant(outside), whole), c.broadcastTo(c.real(value, x), whole),
                  x);
}

Value ampc::onnx::cropAndResize(Converter &c, Value x, ArrayRef<int64_t> to,
                                ArrayRef<int64_t> order, const train::Interpolation &how) {
  auto lines = linesOf(c, to);
  if (!lines || !x)
    return {};
  if (how.excludesOutside || how.antialiases)
    return c.fail("expected neither exclude_outside nor antialias beside tf_crop_and_resize");
  double value = c.real("extrapolation_value", 0);
  for (auto [dim, from] : llvm::enumerate(order)) {
    const Line &line = (*lines)[from];
    if (line.isKept())
      continue;
    x = interpolate(c, x, dim, line, how);
    bool isInside =
        llvm::all_of(llvm::seq<int64_t>(line.to), [&](int64_t at) { return line.isInside(at); });
    if (!isInside)
      x = fillOutside(c, x, dim, line, value);
    if (!x)
      return {};
  }
  return x;
}
