// Data movement: reshape, concat, split, slice, pad, expand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/ConstantFolding.h"
#include "mlir-dialects/Train/Ops/Sampling.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// Product of the sizes; -1 beyond 64 bits.
static int64_t product(ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t size : dims)
    if (__builtin_mul_overflow(count, size, &count))
      return -1;
  return count;
}

static void reshapeTo(Converter &c, ArrayRef<int64_t> dims) {
  if (product(dims) != product(c.dims(0))) {
    c.fail("expected a shape of " + Twine(product(c.dims(0))) + " elements, but got " +
           Twine(product(dims)));
    return;
  }
  if (!c.literal(0) || !give(c, reshapeLiteral(*c.literal(0), dims)))
    c.set(0, c.reshape(c.in(0), dims));
}

/// Converts Reshape: size 0 keeps the operand's size (without allowzero), -1 is computed: [6, 4] to
/// [0, 2, -1] -> [6, 2, 2].
static void convertReshape(Converter &c) {
  auto shape = c.numbersOf("shape", 1);
  if (!shape)
    return;
  int64_t open = -1, rest = product(c.dims(0));
  for (auto [i, size] : llvm::enumerate(*shape)) {
    if (size == 0 && !c.integer("allowzero", 0) && int64_t(i) < c.rank(0))
      size = c.dims(0)[i];
    if (size == -1)
      open = i;
    else if (size > 0 && rest % size == 0)
      rest /= size;
  }
  if (open >= 0)
    (*shape)[open] = rest;
  if (llvm::any_of(*shape, [](int64_t size) { return size < 0; })) {
    c.fail("expected sizes from 0 on and -1 once");
    return;
  }
  reshapeTo(c, *shape);
}

static void convertFlatten(Converter &c) {
  int64_t number = c.integer("axis", 1), rank = c.rank(0);
  if (number < -rank || number > rank) {
    c.fail("expected an axis of " + Twine(rank) + " dimensions, but got " + Twine(number));
    return;
  }
  int64_t axis = number < 0 ? number + rank : number;
  reshapeTo(c, {product(c.dims(0).take_front(axis)), product(c.dims(0).drop_front(axis))});
}

static void convertSqueeze(Converter &c) {
  auto axes = c.numbersOf("axes", 1);
  if (c.has(1) && !axes)
    return;
  SmallVector<bool> isOut(c.rank(0), false);
  for (auto [i, size] : llvm::enumerate(c.dims(0)))
    isOut[i] = !axes && size == 1;
  for (int64_t number : axes.value_or(Dims())) {
    int64_t axis = c.axis(number, c.rank(0));
    if (axis < 0)
      return;
    isOut[axis] = true;
  }
  Dims dims;
  for (auto [i, size] : llvm::enumerate(c.dims(0)))
    if (!isOut[i])
      dims.push_back(size);
  reshapeTo(c, dims);
}

static void convertUnsqueeze(Converter &c) {
  auto axes = c.numbersOf("axes", 1);
  if (!axes) {
    c.fail("expected axes");
    return;
  }
  int64_t rank = c.rank(0) + axes->size();
  SmallVector<bool> isNew(rank, false);
  for (int64_t number : *axes) {
    int64_t axis = c.axis(number, rank);
    if (axis < 0)
      return;
    isNew[axis] = true;
  }
  if (llvm::count(isNew, true) != int64_t(axes->size())) {
    c.fail("expected every axis once");
    return;
  }
  Dims dims;
  ArrayRef<int64_t> rest = c.dims(0);
  for (bool one : isNew) {
    dims.push_back(one ? 1 : rest.front());
    if (!one)
      rest = rest.drop_front();
  }
  reshapeTo(c, dims);
}

static void convertTranspose(Converter &c) {
  Dims order = c.ints("perm").value_or(Dims(llvm::reverse(llvm::seq<int64_t>(c.rank(0)))));
  Dims sorted = order;
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(c.rank(0)))) {
    c.fail("expected a permutation of " + Twine(c.rank(0)) + " dimensions");
    return;
  }
  if (const Literal *known = c.literal(0))
    return c.set(0, transposeLiteral(*known, order));
  c.set(0, c.transpose(c.in(0), order));
}

/// Folds a concatenation; false if a part is unknown.
static bool concatKnown(Converter &c, int64_t axis) {
  SmallVector<const Literal *> parts;
  for (unsigned i = 0; i < c.inputs(); ++i)
    if (parts.push_back(c.literal(i)); !parts.back())
      return false;
  return give(c, concatLiterals(parts, axis));
}

/// Converts Concat; images stay channels last.
static void convertConcat(Converter &c) {
  int64_t axis = c.axisOf(0, 1), rank = c.rank(0);
  if (axis < 0 || concatKnown(c, axis))
    return;
  bool isImage = false;
  for (unsigned i = 0; i < c.inputs(); ++i)
    isImage |= c.isChannelsLast(i);
  SmallVector<Value> parts;
  for (unsigned i = 0; i < c.inputs(); ++i) {
    // Parts without elements are dropped.
    if (product(c.dims(i)) != 0)
      parts.push_back(isImage ? c.image(i) : c.in(i));
  }
  if (parts.empty()) {
    c.fail("expected a tensor with elements");
    return;
  }
  if (isImage)
    c.setImage(0, c.concat(parts, axis == 0 ? 0 : axis == 1 ? rank - 1 : axis - 1));
  else
    c.set(0, c.concat(parts, axis));
}

static void convertSplit(Converter &c) {
  int64_t axis = c.axisOf(0, 0);
  if (axis < 0)
    return;
  int64_t whole = c.dims(0)[axis], count = c.integer("num_outputs", c.node.outputs.size());
  auto sizes = c.numbersOf("split", 1);
  if (c.has(1) && !sizes)
    return;
  if (count != int64_t(c.node.outputs.size())) {
    c.fail("expected as many parts as outputs");
    return;
  }
  if (!sizes) {
    sizes = Dims(count, (whole + count - 1) / count);
    sizes->back() = whole - sizes->front() * (count - 1);
  }
  if (sizes->size() != c.node.outputs.size()) {
    c.fail("expected as many sizes as outputs");
    return;
  }
  Operation *made = c.op("train.split", c.in(0), {c.attr("sizes", *sizes), c.attr("dim", axis)}, {},
                         sizes->size());
  for (unsigned i = 0; made && i < made->getNumResults(); ++i)
    c.set(i, made->getResult(i));
}

// ---- Parts ----

namespace {
/// Selected elements of a dimension.
struct SliceRange {
  int64_t from, count, step;
};
} // namespace

/// Elements of a slice with Python's semantics: bounds beyond the dimension are clamped.
static SliceRange extentOf(int64_t start, int64_t end, int64_t step, int64_t size) {
  auto place = [&](int64_t at) { return at < 0 ? at + size : at; };
  if (step > 0) {
    int64_t from = std::clamp<int64_t>(place(start), 0, size);
    int64_t to = std::clamp<int64_t>(place(end), 0, size);
    return {from, to > from ? (to - from - 1) / step + 1 : 0, step};
  }
  int64_t from = std::clamp<int64_t>(place(start), -1, size - 1);
  int64_t to = end < -size ? -1 : std::clamp<int64_t>(place(end), -1, size - 1);
  return {from, from > to ? (from - to - 1) / -step + 1 : 0, step};
}

static Literal sliced(const Literal &x, ArrayRef<SliceRange> extents) {
  Dims dims, strides = stridesOf(x.dims);
  for (const SliceRange &extent : extents)
    dims.push_back(extent.count);
  return rearranged(x, dims, [&](ArrayRef<int64_t> position) {
    int64_t from = 0;
    for (auto [i, at] : llvm::enumerate(position))
      from += (extents[i].from + at * extents[i].step) * strides[i];
    return from;
  });
}

static void convertSlice(Converter &c) {
  auto starts = c.numbersOf("starts", 1), ends = c.numbersOf("ends", 2);
  auto axes = c.numbersOf("axes", 3), steps = c.numbersOf("steps", 4);
  if (!starts || !ends || (c.has(3) && !axes) || (c.has(4) && !steps))
    return;
  if (!axes)
    axes = llvm::to_vector(llvm::seq<int64_t>(starts->size()));
  if (!steps)
    steps = Dims(starts->size(), 1);
  if (ends->size() != starts->size() || axes->size() != starts->size() ||
      steps->size() != starts->size()) {
    c.fail("expected as many ends, axes and steps as starts");
    return;
  }
  SmallVector<SliceRange> extents;
  for (int64_t size : c.dims(0))
    extents.push_back({0, size, 1});
  for (auto [i, number] : llvm::enumerate(*axes)) {
    int64_t axis = c.axis(number, c.rank(0)), step = (*steps)[i];
    if (axis < 0)
      return;
    if (step == 0 || step == INT64_MIN) {
      c.fail("expected steps other than 0");
      return;
    }
    extents[axis] = extentOf((*starts)[i], (*ends)[i], step, c.dims(0)[axis]);
  }
  if (const Literal *known = c.literal(0))
    return c.set(0, sliced(*known, extents));
  Dims from, sizes, strides;
  for (const SliceRange &extent : extents) {
    from.push_back(extent.from);
    sizes.push_back(extent.count);
    strides.push_back(extent.count > 1 ? extent.step : 1);
  }
  bool isForwards = llvm::all_of(strides, [](int64_t stride) { return stride > 0; });
  c.set(0, isForwards ? c.slice(c.in(0), from, sizes, strides)
                      : c.make<train::StridedSliceOp>(c.in(0), {c.attr("offsets", from),
                                                                c.attr("sizes", sizes),
                                                                c.attr("strides", strides)}));
}

// ---- Padding ----

/// Pads by the node's mode and value.
static Value padded(Converter &c, Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  double value = c.real("value", 0);
  std::string name = c.text("mode", "constant");
  auto mode = train::symbolizePadMode(name);
  const Literal *known = c.has(2) ? c.setting(2) : nullptr;
  if (!mode)
    return c.fail("expected the mode constant, reflect, edge or wrap, but got " + name);
  if (mode == train::PadMode::constant && c.has(2) && (!known || known->count() != 1))
    return c.fail("expected a constant scalar to pad with");
  SmallVector<NamedAttribute> attributes = {c.attr("value", known ? known->real(0) : value),
                                            c.attr("low", low), c.attr("high", high)};
  auto isNegative = [](int64_t size) { return size < 0; };
  if (mode == train::PadMode::constant && !llvm::any_of(low, isNegative) &&
      !llvm::any_of(high, isNegative)) {
    attributes.push_back(c.attr("interior", Dims(low.size(), 0)));
    return c.make<train::PadOp>(x, attributes);
  }
  attributes.push_back(c.b.getNamedAttr("mode", train::PadModeAttr::get(c.b.getContext(), *mode)));
  return c.make<train::PadModeOp>(x, attributes);
}

/// Converts Pad, in the dimension order of images where the operand is channels last.
static void convertPad(Converter &c) {
  auto pads = c.numbersOf("pads", 1);
  if (!pads)
    return;
  int64_t rank = c.rank(0);
  Dims axes = llvm::to_vector(llvm::seq<int64_t>(rank)), low(rank, 0), high(rank, 0);
  if (c.has(3)) {
    auto given = c.numbers(3, "axes");
    if (!given)
      return;
    axes = *given;
  }
  if (pads->size() != 2 * axes.size()) {
    c.fail("expected two paddings per dimension");
    return;
  }
  for (auto [i, number] : llvm::enumerate(axes)) {
    int64_t axis = c.axis(number, rank);
    if (axis < 0)
      return;
    low[axis] = (*pads)[i];
    high[axis] = (*pads)[axes.size() + i];
  }
  bool isImage = c.isChannelsLast(0);
  if (isImage) {
    Dims oldLow = low, oldHigh = high;
    for (auto [i, from] : llvm::enumerate(toChannelsLast(rank))) {
      low[i] = oldLow[from];
      high[i] = oldHigh[from];
    }
  }
  Value x = isImage ? c.image(0) : c.in(0);
  Value y = padded(c, x, low, high);
  if (isImage)
    c.setImage(0, y);
  else
    c.set(0, y);
}

// ---- Copies ----

static void convertExpand(Converter &c) {
  auto shape = c.numbers(1, "a shape");
  if (!shape)
    return;
  auto dims = broadcastShape(c.dims(0), *shape);
  if (!dims) {
    c.fail("expected a shape that the operand broadcasts to");
    return;
  }
  if (c.literal(0) && give(c, broadcastLiteral(*c.literal(0), *dims)))
    return;
  c.set(0, c.broadcastTo(c.in(0), *dims));
}

static void convertTile(Converter &c) {
  auto repeats = c.numbers(1, "repeats");
  if (!repeats)
    return;
  if (int64_t(repeats->size()) != c.rank(0)) {
    c.fail("expected a repeat per dimension");
    return;
  }
  if (llvm::any_of(*repeats, [](int64_t number) { return number < 1; })) {
    c.fail("expected a tensor with elements");
    return;
  }
  // Tiling a dimension of size 1 is a broadcast.
  Dims dims(c.dims(0));
  bool isBroadcast = true;
  for (auto [size, times] : llvm::zip(dims, *repeats)) {
    isBroadcast &= size == 1 || times == 1;
    if (__builtin_mul_overflow(size, times, &size)) {
      c.fail("expected at most 2^40 elements");
      return;
    }
  }
  c.set(0, isBroadcast ? c.broadcastTo(c.in(0), dims)
                       : c.make<train::TileOp>(c.in(0), c.attr("times", *repeats)));
}

static void convertTrilu(Converter &c) {
  int64_t k = 0;
  if (c.has(1)) {
    auto given = c.numbers(1, "a diagonal");
    if (!given || given->size() != 1)
      return;
    k = given->front();
  }
  if (c.rank(0) < 2) {
    c.fail("expected matrices");
    return;
  }
  bool upper = c.integer("upper", 1);
  if (const Literal *known = c.literal(0))
    return c.set(0, triangleOf(*known, k, upper));
  SmallVector<NamedAttribute> attributes = {c.attr("diagonal", k)};
  if (upper)
    attributes.push_back(c.flag("upper"));
  c.set(0, c.make<train::TriluOp>(c.in(0), attributes));
}

static void convertDepthToSpace(Converter &c) {
  int64_t block = c.integer("blocksize", 0);
  ArrayRef<int64_t> d = c.dims(0);
  if (d.size() != 4 || block < 1 || block > d[1] || d[1] % (block * block)) {
    c.fail("expected an image with a multiple of blocksize^2 channels");
    return;
  }
  int64_t n = d[0], channels = d[1] / (block * block), h = d[2], w = d[3];
  Value x = c.in(0);
  if (c.text("mode", "DCR") == "DCR")
    x = c.transpose(c.reshape(x, {n, block, block, channels, h, w}), {0, 3, 4, 1, 5, 2});
  else
    x = c.transpose(c.reshape(x, {n, channels, block, block, h, w}), {0, 1, 4, 2, 5, 3});
  c.set(0, c.reshape(x, {n, channels, h * block, w * block}));
}

static void convertSpaceToDepth(Converter &c) {
  int64_t block = c.integer("blocksize", 0);
  ArrayRef<int64_t> d = c.dims(0);
  if (d.size() != 4 || block < 1 || d[2] % block || d[3] % block) {
    c.fail("expected an image whose sides are multiples of blocksize");
    return;
  }
  int64_t n = d[0], channels = d[1], h = d[2] / block, w = d[3] / block;
  bool isByChannel = c.text("mode", "DCR") == "CRD";
  Value x = c.transpose(c.reshape(c.in(0), {n, channels, h, block, w, block}),
                        isByChannel ? Dims{0, 1, 3, 5, 2, 4} : Dims{0, 3, 5, 1, 2, 4});
  c.set(0, c.reshape(x, {n, channels * block * block, h, w}));
}

static const Entry entries[] = {
    {"Concat", convertConcat, 4}, {"DepthToSpace", convertDepthToSpace},
    {"Expand", convertExpand},    {"Flatten", convertFlatten},
    {"Pad", convertPad, 2},       {"Reshape", convertReshape},
    {"Slice", convertSlice},      {"SpaceToDepth", convertSpaceToDepth},
    {"Split", convertSplit, 2},   {"Squeeze", convertSqueeze},
    {"Tile", convertTile, 6},     {"Transpose", convertTranspose},
    {"Trilu", convertTrilu},      {"Unsqueeze", convertUnsqueeze},
};

ArrayRef<Entry> ampc::onnx::shapeEntries() { return entries; }
