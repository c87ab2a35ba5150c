// Matrix products, and attention composed of products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Emitter.h"
#include "mlir-dialects/Train/Text/Numbers.h"
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

/// Permutation that swaps the last two dimensions: rank 3 -> [0, 2, 1].
static Dims swapped(int64_t rank) {
  Dims order = identity(rank);
  std::swap(order[rank - 1], order[rank - 2]);
  return order;
}

/// A matrix in the graph's memory order: name, and whether the node must transpose.
static std::pair<std::string, bool> matrixOf(Emitter &e, Value v, bool transposed) {
  // Weights keep their layout, and so do values that were only transposed.
  Dims order = e.order(v);
  return {e.in(v, order), transposed == isIdentity(order)};
}

static std::string productOf(Emitter &e, Value lhs, bool transposeLhs, Value rhs, bool transposeRhs,
                             Type element) {
  if (Emitter::rankOf(lhs) == 2 && Emitter::rankOf(rhs) == 2) {
    auto [a, isTransposedA] = matrixOf(e, lhs, transposeLhs);
    auto [b, isTransposedB] = matrixOf(e, rhs, transposeRhs);
    a = e.cast(a, Emitter::elementTypeOf(lhs), element);
    b = e.cast(b, Emitter::elementTypeOf(rhs), element);
    if (!isTransposedA && !isTransposedB)
      return e.node("MatMul", {a, b});
    return e.node("Gemm", {a, b},
                  {{"transA", int64_t(isTransposedA)}, {"transB", int64_t(isTransposedB)}});
  }
  auto operand = [&](Value v, bool transposed) {
    int64_t rank = Emitter::rankOf(v);
    return e.cast(e.in(v, transposed ? swapped(rank) : identity(rank)), Emitter::elementTypeOf(v),
                  element);
  };
  return e.node("MatMul", {operand(lhs, transposeLhs), operand(rhs, transposeRhs)});
}

static void emitMatmul(Emitter &e, train::MatmulOp op) {
  e.set(op, productOf(e, op.getLhs(), op.getTransposeLhs(), op.getRhs(), op.getTransposeRhs(),
                      Emitter::elementTypeOf(op)));
}

static void emitLinear(Emitter &e, train::LinearOp op) {
  std::string bias = op.getBias() ? e.in(op.getBias()) : "";
  if (Emitter::rankOf(op) == 2 && op.getBias()) {
    auto [x, isTransposedX] = matrixOf(e, op.getX(), false);
    auto [weight, isTransposed] = matrixOf(e, op.getWeight(), false);
    return e.set(op,
                 e.node("Gemm", {x, weight, bias},
                        {{"transA", int64_t(isTransposedX)}, {"transB", int64_t(isTransposed)}}));
  }
  std::string y = productOf(e, op.getX(), false, op.getWeight(), false, Emitter::elementTypeOf(op));
  e.set(op, op.getBias() ? e.node("Add", {y, bias}) : y);
}

// ---- Attention ----

/// Emits the causal mask: scores of keys behind the query become -inf.
static std::string applyCausalMask(Emitter &e, train::AttentionOp op, std::string scores,
                                   Type element) {
  int64_t queries = Emitter::shapeOf(op.getQuery()).end()[-2];
  int64_t keys = Emitter::shapeOf(op.getKey()).end()[-2];
  std::string last = e.positions(queries, 0, 2);
  if (keys != queries)
    last = e.node("Add",
                  {last, e.number(double(keys - queries), IntegerType::get(op.getContext(), 32))});
  std::string isSeen = e.node("GreaterOrEqual", {last, e.positions(keys, 1, 2)});
  return e.node("Where", {isSeen, scores, e.number(-INFINITY, element)});
}

static void emitAttention(Emitter &e, train::AttentionOp op) {
  if (op.getLse())
    return e.fail(op, "no reader of the logarithms of the sums");
  int64_t rank = Emitter::rankOf(op.getQuery());
  auto element = Float32Type::get(op.getContext());
  Type own = Emitter::elementTypeOf(op.getQuery()), wide = own.isF64() ? own : element;
  double scale = op.getScale() ? number(*op.getScale())
                               : 1 / std::sqrt(double(Emitter::shapeOf(op.getQuery()).back()));
  std::string keys = e.cast(e.in(op.getKey(), swapped(rank)), own, wide);
  std::string query = e.node("Mul", {e.in(op.getQuery(), wide), e.number(scale, wide)});
  std::string scores = e.node("MatMul", {query, keys});
  if (op.getBias())
    scores = e.node("Add", {scores, e.in(op.getBias(), wide)});
  if (op.getCausal())
    scores = applyCausalMask(e, op, scores, wide);
  std::string shares = e.node("Softmax", {scores}, {{"axis", int64_t(-1)}});
  int64_t queries = Emitter::shapeOf(op.getQuery())[rank - 2];
  if (op.getBias() || (op.getCausal() && queries > Emitter::shapeOf(op.getKey())[rank - 2])) {
    // A query without visible keys has the result 0, not NaN.
    std::string hidden = e.number(-INFINITY, wide), zero = e.number(0, wide);
    std::string isHidden = e.node("Equal", {scores, hidden});
    shares = e.node("Where", {isHidden, zero, shares});
  }
  e.set(op.getResult(), e.cast(e.node("MatMul", {shares, e.in(op.getValue(), wide)}), wide,
                               Emitter::elementTypeOf(op.getResult())));
}

std::vector<Entry> exporting::productEntries() {
  return {
      entry<train::MatmulOp, emitMatmul>(),
      entry<train::LinearOp, emitLinear>(),
      entry<train::AttentionOp, emitAttention>(),
  };
}
