// Attention, with its head layouts and masks, and rotary embedding.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;
using train::ComparePredicate;

static constexpr double never = -std::numeric_limits<double>::infinity();

/// Heads as a dimension: [N, positions, heads * width] -> [N, heads, positions, width].
static Value splitHeads(Converter &c, unsigned i, int64_t heads) {
  if (c.rank(i) == 4)
    return c.in(i);
  if (c.rank(i) != 3 || heads < 1 || c.dims(i)[2] % heads)
    return c.fail("expected 4 dimensions, or 3 with a number of heads that divides the last");
  ArrayRef<int64_t> d = c.dims(i);
  return c.transpose(c.reshape(c.in(i), {d[0], d[1], heads, d[2] / heads}), {0, 2, 1, 3});
}
static Value joinHeads(Converter &c, Value x) {
  if (!x)
    return {};
  Dims d(Converter::shapeOf(x));
  return c.reshape(c.transpose(x, {0, 2, 1, 3}), {d[0], d[2], d[1] * d[3]});
}

/// Grouped queries: repeats every head `times` times, copies adjacent.
static Value repeatHeads(Converter &c, Value x, int64_t times) {
  if (!x || times == 1)
    return x;
  Dims d(Converter::shapeOf(x));
  Value wide =
      c.broadcastTo(c.reshape(x, {d[0], d[1], 1, d[2], d[3]}), {d[0], d[1], times, d[2], d[3]});
  return c.reshape(wide, {d[0], d[1] * times, d[2], d[3]});
}

namespace {
struct Operands {
  Value query, key, value, bias;
  int64_t past = 0;
  bool causal = false; ///< causality not yet part of `bias`

  int64_t queries() const { return Converter::shapeOf(query)[2]; }
  int64_t keys() const { return Converter::shapeOf(key)[2]; }
};
} // namespace

static Value plus(Converter &c, Value x, Value y) { return !x ? y : !y ? x : c.add(x, y); }

/// Bias 0 where the boolean mask is true, -inf elsewhere.
static Value biasOf(Converter &c, Value sees, Value like) {
  return c.select(sees, c.real(0, like), c.real(never, like));
}

/// Mask of the node; a mask of fewer keys than there are is padded by hidden keys.
static Value maskOf(Converter &c, const Operands &x) {
  Value mask = c.in(3);
  if (!mask)
    return {};
  if (Converter::elementOf(mask).isInteger(1))
    mask = biasOf(c, mask, x.query);
  Dims shape(mask ? Converter::shapeOf(mask) : ArrayRef<int64_t>());
  if (shape.empty() || shape.back() >= x.keys() || shape.back() == 1)
    return mask;
  shape.back() = x.keys() - shape.back();
  return c.concat({mask, c.broadcastTo(c.real(never, mask), shape)}, shape.size() - 1);
}

/// Bias of the sliding window: keys within the window of each query; null without a window.
static Value windowBias(Converter &c, const Operands &x, bool causal) {
  int64_t left = c.integer("left_window_size", -1), right = c.integer("right_window_size", -1);
  if (causal)
    right = right < 0 ? 0 : std::min<int64_t>(right, 0);
  if (left < 0 && right < 0)
    return {};
  int64_t rows = x.queries(), columns = x.keys();
  if (rows * columns > mostElements)
    return c.fail("expected at most " + Twine(mostElements) + " pairs of queries and keys");
  Literal bias(Converter::elementOf(x.query).isF64() ? onnx::Type::F64 : onnx::Type::F32,
               {rows, columns});
  for (int64_t i = 0; i < rows * columns; ++i) {
    int64_t ahead = i % columns - (i / columns + x.past);
    bool sees = (left < 0 || -ahead <= left) && (right < 0 || ahead <= right);
    bias.set(i, sees ? 0.0 : never);
  }
  return c.constant(bias);
}

/// Bias of the lengths per batch row: keys beyond the length are padding.
static Value lengthBias(Converter &c, const Operands &x, bool causal) {
  Dims column = {c.dims(6)[0], 1, 1, 1};
  Value lengths = c.reshape(c.in(6), column);
  Literal places(onnx::Type::I64, {x.keys()});
  for (int64_t i = 0; i < x.keys(); ++i)
    places.ints[i] = i;
  Value key = c.constant(places);
  Value sees = c.compare(ComparePredicate::lt, key, lengths);
  if (!causal)
    return biasOf(c, sees, x.query);
  Literal from(onnx::Type::I64, {x.queries(), 1});
  for (int64_t i = 0; i < x.queries(); ++i)
    from.ints[i] = i - x.queries();
  Value last = c.add(c.constant(from), lengths);
  return plus(c, biasOf(c, sees, x.query),
              biasOf(c, c.compare(ComparePredicate::le, key, last), x.query));
}

static bool readOperands(Converter &c, Operands &x) {
  int64_t heads = c.integer("q_num_heads", 0), shared = c.integer("kv_num_heads", 0);
  x.query = splitHeads(c, 0, heads);
  x.key = splitHeads(c, 1, shared);
  x.value = splitHeads(c, 2, shared);
  if (!x.query || !x.key || !x.value)
    return false;
  if (c.has(4) && c.has(5)) {
    x.past = c.dims(4).size() == 4 ? c.dims(4)[2] : 0;
    x.key = c.concat({c.in(4), x.key}, 2);
    x.value = c.concat({c.in(5), x.value}, 2);
    if (!x.key || !x.value)
      return false;
  }
  c.set(1, x.key);
  c.set(2, x.value);
  int64_t many = Converter::shapeOf(x.query)[1], few = Converter::shapeOf(x.key)[1];
  if (many % few) {
    c.fail("expected a number of query heads that is a multiple of the number of key heads");
    return false;
  }
  x.key = repeatHeads(c, x.key, many / few);
  x.value = repeatHeads(c, x.value, many / few);
  bool causal = c.integer("is_causal", 0);
  if (c.has(6) && (c.node.find("left_window_size") || c.node.find("right_window_size"))) {
    c.fail("expected no windows beside numbers of keys per row");
    return false;
  }
  if (c.has(3))
    x.bias = maskOf(c, x);
  if (c.has(6))
    x.bias = plus(c, x.bias, lengthBias(c, x, causal));
  bool isPlain = x.queries() == x.keys() && !x.past && !c.node.find("left_window_size") &&
                 !c.node.find("right_window_size");
  x.causal = causal && isPlain && !c.has(6);
  if (!x.causal)
    x.bias = plus(c, x.bias, windowBias(c, x, causal && !c.has(6)));
  return c.fault.empty();
}

/// Attention composed of products and softmax, for nodes that output intermediate scores.
static Value composed(Converter &c, Operands x, double scale) {
  int64_t mode = c.integer("qk_matmul_output_mode", 0);
  auto show = [&](int64_t which, Value scores) {
    if (mode == which)
      c.set(3, scores);
  };
  if (x.causal)
    x.bias = plus(c, x.bias, windowBias(c, x, true));
  Value scores = c.make<train::MatmulOp>({x.query, x.key}, c.flag("transpose_rhs"));
  if (!scores)
    return {};
  scores = c.mul(scores, c.real(scale, scores));
  show(0, scores);
  if (double cap = c.real("softcap", 0); cap != 0) {
    Value part = c.make<train::TanhOp>(c.mul(scores, c.real(1 / cap, scores)));
    scores = c.mul(part, c.real(cap, part));
  }
  show(1, scores);
  if (x.bias)
    scores = c.add(scores, x.bias);
  show(2, scores);
  Value weights;
  if (!x.bias) {
    weights = c.make<train::SoftmaxOp>(scores);
  } else {
    // A query without visible keys has the result 0.
    Value most = c.reduce("train.reduce_max", scores, {3}, true), zero = c.real(0, scores);
    Value sees = c.compare(ComparePredicate::gt, most, c.real(never, scores));
    weights = c.select(sees, c.make<train::SoftmaxOp>(c.select(sees, scores, zero)), zero);
  }
  show(3, weights);
  return c.make<train::MatmulOp>({weights, x.value});
}

static void convertAttention(Converter &c) {
  Operands x;
  if (!readOperands(c, x))
    return;
  int64_t width = Converter::shapeOf(x.query).back();
  double scale = c.real("scale", 0);
  if (scale == 0)
    scale = 1 / std::sqrt(double(width));
  bool isUsual =
      !c.wants(3) && c.real("softcap", 0) == 0 && Converter::shapeOf(x.value).back() == width;
  Value y;
  if (isUsual) {
    SmallVector<Value> operands = {x.query, x.key, x.value};
    if (x.bias)
      operands.push_back(x.bias);
    SmallVector<NamedAttribute> attributes = {c.attr("scale", scale)};
    if (x.causal)
      attributes.push_back(c.flag("causal"));
    y = c.make<train::AttentionOp>(operands, attributes);
  } else {
    y = composed(c, x, scale);
  }
  c.set(0, c.rank(0) == 3 ? joinHeads(c, y) : y);
}

// ---- Rotary embedding ----

/// Cosines or sines as [N, positions, 1, pairs].
static Value anglesOf(Converter &c, unsigned i) {
  Value table = c.in(i);
  if (c.has(3))
    table = c.take(table, 0, c.in(3));
  if (!table || Converter::shapeOf(table).size() != 3)
    return c.fail("expected cosines and sines of every position");
  Dims d(Converter::shapeOf(table));
  return c.reshape(table, {d[0], d[1], 1, d[2]});
}

/// Converts rotary embedding: pairs of elements, adjacent or half the width apart, are rotated by
/// the angle of their position.
static void convertRotaryEmbedding(Converter &c) {
  bool isFlat = c.rank(0) == 3;
  Value x = c.transpose(splitHeads(c, 0, c.integer("num_heads", 0)), {0, 2, 1, 3});
  Value cosine = anglesOf(c, 1), sine = anglesOf(c, 2);
  if (!x || !cosine || !sine)
    return;
  Dims all(Converter::shapeOf(x)), none(4, 0), ones(4, 1);
  int64_t width = c.integer("rotary_embedding_dim", 0);
  width = width ? width : all[3];
  if (width < 2 || width % 2 || width > all[3]) {
    c.fail("expected an even rotary_embedding_dim up to the width of a head");
    return;
  }
  Dims half = all, from = none, steps = ones;
  half[3] = width / 2;
  bool interleaved = c.integer("interleaved", 0);
  steps[3] = interleaved ? 2 : 1;
  Value a = c.slice(x, none, half, steps);
  from[3] = interleaved ? 1 : width / 2;
  Value b = c.slice(x, from, half, steps);
  Value left = c.sub(c.mul(a, cosine), c.mul(b, sine));
  Value right = c.add(c.mul(a, sine), c.mul(b, cosine));
  Dims turned = all;
  turned[3] = width;
  Value y;
  if (interleaved) {
    Dims apart = half;
    apart.push_back(1);
    y = c.reshape(c.concat({c.reshape(left, apart), c.reshape(right, apart)}, 4), turned);
  } else {
    y = c.concat({left, right}, 3);
  }
  if (width < all[3]) {
    Dims rest = all;
    rest[3] = all[3] - width;
    from[3] = width;
    y = c.concat({y, c.slice(x, from, rest, ones)}, 3);
  }
  c.set(0, isFlat ? c.reshape(y, c.dims(0)) : c.transpose(y, {0, 2, 1, 3}));
}

static const Entry entries[] = {
    {"Attention", convertAttention, 23},
    {"RotaryEmbedding", convertRotaryEmbedding, 23},
};

ArrayRef<Entry> ampc::onnx::attentionEntries() { return entries; }
