// Matrix products, and losses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"
#include "mlir-dialects/Train/Ops/Einsum.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;
using train::ComparePredicate;

// ---- Products ----

/// Linear layer x W + b, as exporters write a linear layer on matrices; null for other Gemm nodes.
static Value linearOf(Converter &c) {
  bool isTransposed = c.integer("transB", 0);
  if (c.integer("transA", 0) || c.real("alpha", 1) != 1 || c.real("beta", 1) != 1 || !c.has(2) ||
      c.rank(0) != 2 || c.rank(1) != 2 ||
      c.dims(2) != ArrayRef<int64_t>(c.dims(1)[isTransposed ? 0 : 1]))
    return {};
  Value weight = isTransposed ? c.transpose(c.in(1), {1, 0}) : c.in(1);
  return c.make<train::LinearOp>({c.in(0), weight, c.in(2)});
}

static void convertGemm(Converter &c) {
  if (Value y = linearOf(c))
    return c.set(0, y);
  SmallVector<NamedAttribute> transposed;
  if (c.integer("transA", 0))
    transposed.push_back(c.flag("transpose_lhs"));
  if (c.integer("transB", 0))
    transposed.push_back(c.flag("transpose_rhs"));
  Value y = c.make<train::MatmulOp>({c.in(0), c.in(1)}, transposed);
  if (double alpha = c.real("alpha", 1); alpha != 1)
    y = c.mul(y, c.real(alpha, y));
  if (double beta = c.real("beta", 1); c.has(2) && beta != 0) {
    Value bias = c.in(2);
    y = c.add(y, beta == 1 ? bias : c.mul(bias, c.real(beta, bias)));
  }
  c.set(0, y);
}

/// Matrix product with broadcast leading dimensions; vectors become matrices: [k] -> [1, k] on the
/// left, [k, 1] on the right.
static Value product(Converter &c, Value x, Value y) {
  if (!x || !y)
    return {};
  Dims a(Converter::shapeOf(x)), b(Converter::shapeOf(y));
  if (a.empty() || b.empty())
    return c.fail("expected vectors or matrices");
  bool isRow = a.size() == 1, isColumn = b.size() == 1;
  if (isRow)
    a.insert(a.begin(), 1);
  if (isColumn)
    b.push_back(1);
  x = c.reshape(x, a);
  y = c.reshape(y, b);
  Value z;
  if (b.size() == 2 && a.size() > 2) {
    z = c.make<train::LinearOp>({x, y});
  } else {
    ArrayRef<int64_t> outerA = ArrayRef(a).drop_back(2), outerB = ArrayRef(b).drop_back(2);
    auto outer = broadcastShape(outerA, outerB);
    if (!outer)
      return c.fail("expected leading dimensions that broadcast");
    if (outerA != outerB && !outerA.empty() && !outerB.empty()) {
      Dims wideA(*outer), wideB(*outer);
      llvm::append_range(wideA, ArrayRef(a).take_back(2));
      llvm::append_range(wideB, ArrayRef(b).take_back(2));
      x = c.broadcastTo(x, wideA);
      y = c.broadcastTo(y, wideB);
    }
    z = c.make<train::MatmulOp>({x, y});
  }
  if (!z || (!isRow && !isColumn))
    return z;
  Dims shape(Converter::shapeOf(z));
  if (isColumn)
    shape.pop_back();
  if (isRow)
    shape.erase(shape.end() - (isColumn ? 1 : 2));
  return c.reshape(z, shape);
}

static void convertMatMul(Converter &c) { c.set(0, product(c, c.in(0), c.in(1))); }

static void convertEinsum(Converter &c) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < c.inputs(); ++i)
    operands.push_back(c.in(i));
  c.set(0, c.make<train::EinsumOp>(
               operands, c.b.getNamedAttr("equation", c.b.getStringAttr(c.text("equation", "")))));
}

// ---- Losses ----

static NamedAttribute reduction(Converter &c, train::Reduction kind) {
  return c.b.getNamedAttr("reduction", train::ReductionAttr::get(c.b.getContext(), kind));
}

/// Cross entropy of classes in the last dimension: softmax cross entropy of x, or -x[class] if x
/// are log-probabilities; per row or reduced by the attribute `reduction`, with an optional weight
/// per class.
static Value classLoss(Converter &c, Value x, Value labels, bool areLogs) {
  std::string how = c.text("reduction", "mean");
  auto kind = how == "none"  ? train::Reduction::none
              : how == "sum" ? train::Reduction::sum
                             : train::Reduction::mean;
  SmallVector<NamedAttribute> attributes;
  const onnx::Attribute *ignored = c.node.find("ignore_index");
  if (ignored)
    attributes.push_back(c.b.getNamedAttr("ignore", c.b.getI64IntegerAttr(ignored->integer)));
  bool isWeightedNll = c.has(2) && areLogs;
  attributes.push_back(reduction(c, isWeightedNll ? train::Reduction::none : kind));
  if (!areLogs && c.has(2))
    return c.make<train::WeightedCrossEntropyOp>({x, labels, c.fixed(2)}, attributes);
  if (!areLogs)
    return c.make<train::SoftmaxCrossEntropyOp>({x, labels}, attributes);
  Value loss = c.make<train::NllOp>({x, labels}, attributes);
  if (!isWeightedNll || !loss)
    return loss;
  // Ignored rows have no class whose weight could be looked up.
  Value index = labels, isOut;
  if (ignored) {
    isOut = c.compare(ComparePredicate::eq, labels, c.constant(Literal::scalar(ignored->integer)));
    index = c.select(isOut, c.constant(Literal::scalar(0)), labels);
  }
  Value weight = c.make<train::GatherOp>({c.fixed(2), index});
  if (isOut && weight)
    weight = c.select(isOut, c.real(0, weight), weight);
  loss = c.mul(loss, weight);
  if (kind == train::Reduction::none || !loss)
    return loss;
  Dims every = llvm::to_vector(llvm::seq<int64_t>(Converter::shapeOf(loss).size()));
  Value sum = c.reduce("train.reduce_sum", loss, every, false);
  if (kind == train::Reduction::sum)
    return sum;
  return c.div(sum, c.reduce("train.reduce_sum", weight, every, false));
}

static void convertSoftmaxLoss(Converter &c) {
  bool isImage = c.rank(0) > 2;
  Value scores = isImage ? c.image(0) : c.in(0);
  c.set(0, classLoss(c, scores, c.in(1), false));
  if (!c.wants(1))
    return;
  Value logs = c.make<train::LogSoftmaxOp>(scores);
  if (isImage)
    c.setImage(1, logs);
  else
    c.set(1, logs);
}

/// Converts NegativeLogLikelihoodLoss; above a log-softmax the op is softmax cross entropy.
static void convertNegativeLogLikelihood(Converter &c) {
  Value x = c.rank(0) > 2 ? c.image(0) : c.in(0);
  if (!x)
    return;
  auto logs = x.getDefiningOp<train::LogSoftmaxOp>();
  c.set(0, classLoss(c, logs ? logs.getX() : x, c.in(1), !logs));
}

static const Entry entries[] = {
    {"Einsum", convertEinsum},
    {"Gemm", convertGemm, 7},
    {"MatMul", convertMatMul},
    {"NegativeLogLikelihoodLoss", convertNegativeLogLikelihood},
    {"SoftmaxCrossEntropyLoss", convertSoftmaxLoss},
};

ArrayRef<Entry> ampc::onnx::productEntries() { return entries; }
