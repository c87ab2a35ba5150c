// Adjoints longer than three lines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

static double number(const APFloat &x) { return x.convertToDouble(); }

/// All dimensions but the last in one.
static Value flattenRows(GradBuilder &b, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t last = type.getShape().back();
  return b.reshape(x, type.clone({type.getNumElements() / last, last}));
}

// C = op(A) op(B): dA = dC op(B)^T and dB = op(A)^T dC, transposed where the operand is. An operand
// without batch dimensions gets its sum over the batch from reduceTo; for weights on the right the
// rows of all batches are one product instead, so that no gradient per batch is stored.
SmallVector<Value> MatmulOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0];
  bool ta = getTransposeLhs(), tb = getTransposeRhs();
  if (!ta && getLhs().getType().getRank() > 2 && getRhs().getType().getRank() == 2) {
    Value x = flattenRows(b, getLhs()), dy = flattenRows(b, g);
    return {b.matmul(g, getRhs(), false, !tb),
            tb ? b.matmul(dy, x, true, false) : b.matmul(x, dy, true, false)};
  }
  return {ta ? b.matmul(getRhs(), g, tb, true) : b.matmul(g, getRhs(), false, !tb),
          tb ? b.matmul(g, getLhs(), true, ta) : b.matmul(getLhs(), g, !ta, false)};
}

// ---- Element by element ----

// b a^(b-1) is guarded where b is 0: there a^(b-1) may be infinite.
SmallVector<Value> PowOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0], base = getLhs(), exponent = getRhs(), zero = b.real(0.0, g),
        one = b.real(1.0, g);
  Value slope = b.mul(exponent, b.op<PowOp>(base, b.sub(exponent, one)));
  slope = b.select(b.compare(ComparePredicate::eq, exponent, zero), zero, slope);
  Value positive = b.greater(base, zero);
  Value logarithm = b.op<LogOp>(b.select(positive, base, one));
  return {b.mul(g, slope), b.select(positive, b.mul(g, b.mul(getResult(), logarithm)), zero)};
}

// Phi(x) + x phi(x)
SmallVector<Value> GeluOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0], x = getX(), half = b.real(0.5, g);
  Value phi = b.mul(half, b.add(b.real(1.0, g), b.op<ErfOp>(b.mul(x, b.real(M_SQRT1_2, g)))));
  Value density =
      b.mul(b.real(M_2_SQRTPI * M_SQRT1_2 * 0.5, g), b.exp(b.mul(b.real(-0.5, g), b.square(x))));
  return {b.mul(g, b.add(phi, b.mul(x, density)))};
}

// With t = tanh(c (x + a x^3)): (1 + t)/2 + x/2 (1 - t^2) c (1 + 3 a x^2)
SmallVector<Value> GeluTanhOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0], x = getX(), one = b.real(1.0, g), half = b.real(0.5, g);
  Value square = b.square(x), a = b.real(0.044715, g), c = b.real(M_2_SQRTPI * M_SQRT1_2, g);
  Value t = b.op<TanhOp>(b.mul(c, b.mul(x, b.add(one, b.mul(a, square)))));
  Value inner = b.mul(c, b.add(one, b.mul(b.real(3 * 0.044715, g), square)));
  Value slope = b.mul(b.mul(half, x), b.mul(b.sub(one, b.square(t)), inner));
  return {b.mul(g, b.add(b.mul(half, b.add(one, t)), slope))};
}

SmallVector<Value> ampc::extremumAdjoints(GradBuilder &b, Value g, Value larger, Value smaller) {
  Value zero = b.real(0.0, g), half = b.mul(g, b.real(0.5, g)), wins = b.greater(larger, smaller);
  Value tie = b.compare(ComparePredicate::eq, larger, smaller);
  Value first = b.select(tie, half, b.select(wins, g, zero));
  Value second = b.select(tie, half, b.select(wins, zero, g));
  return {first, second};
}

// ---- Reductions and moves ----

Value ampc::reduceExtremumAdjoint(GradBuilder &b, Value g, Value x, Value result,
                                  ArrayRef<int64_t> dims) {
  auto column = GradBuilder::withOnes(x.getType(), dims);
  Value zero = b.real(0.0, g), hit = b.compare(ComparePredicate::eq, x, b.reshape(result, column));
  Value count = b.reduceSum(b.select(hit, b.real(1.0, g), zero), dims);
  return b.select(hit, b.reshape(b.div(g, count), column), zero);
}

// A slice is undone by padding: `stride - 1` elements between those of g, the rest around them.
SmallVector<Value> SliceOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  SmallVector<int64_t> high, interior;
  for (auto [i, size] : llvm::enumerate(getX().getType().getShape())) {
    int64_t covered = getSizes()[i] == 0 ? 0 : (getSizes()[i] - 1) * getStrides()[i] + 1;
    high.push_back(size - getOffsets()[i] - covered);
    interior.push_back(getStrides()[i] - 1);
  }
  return {b.op<PadOp>(cotangents[0], APFloat(0.0), getOffsets(), high, interior)};
}
SmallVector<Value> PadOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  auto strides = llvm::map_to_vector(getInterior(), [](int64_t gap) { return gap + 1; });
  return {b.op<SliceOp>(cotangents[0], getLow(), getX().getType().getShape(), strides)};
}
SmallVector<Value> ConcatOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  SmallVector<Value> adjoints;
  SmallVector<int64_t> offsets(getType().getRank(), 0), strides(getType().getRank(), 1);
  for (Value part : getParts()) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(part.getType()).getShape();
    adjoints.push_back(b.op<SliceOp>(cotangents[0], offsets, shape, strides));
    offsets[getDim()] += shape[getDim()];
  }
  return adjoints;
}
SmallVector<Value> ScatterAddOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value rows = b.op<GatherOp>(cotangents[0], getIndex(), IntegerAttr());
  if (auto padding = getPadding()) {
    SmallVector<int64_t> shape(getIndex().getType().getShape());
    shape.resize(getUpdates().getType().getRank(), 1);
    Value index = b.reshape(getIndex(), RankedTensorType::get(shape, b.builder.getI32Type()));
    Value skipped = b.compare(ComparePredicate::eq, index, b.real(double(*padding), index));
    rows = b.select(skipped, b.real(0.0, rows), rows);
  }
  return {rows, Value()};
}

// Every window reads the place of its maximum: one strided slice per place in the window, of which
// `where` picks one.
SmallVector<Value> MaxPoolGradOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  ArrayRef<int64_t> pad = getPadding(), shape = getG().getType().getShape();
  SmallVector<int64_t> none(4, 0), strides{1, getStrides()[0], getStrides()[1], 1};
  Value image = b.op<PadOp>(cotangents[0], APFloat(0.0), ArrayRef<int64_t>{0, pad[0], pad[2], 0},
                            ArrayRef<int64_t>{0, pad[1], pad[3], 0}, none);
  Value where = b.castTo(getWhere(), b.builder.getI32Type()), sum;
  for (int64_t row = 0; row < getWindow()[0]; ++row)
    for (int64_t column = 0; column < getWindow()[1]; ++column) {
      Value part = b.op<SliceOp>(image, ArrayRef<int64_t>{0, row, column, 0}, shape, strides);
      Value number = b.real(double(row * getWindow()[1] + column), where);
      Value hit = b.compare(ComparePredicate::eq, where, number);
      Value term = b.select(hit, part, b.real(0.0, part));
      sum = sum ? b.add(sum, term) : term;
    }
  return {sum, Value()};
}

// ---- Normalisation ----

// The row statistics come with dx out of one pass; gamma and beta sum over the rows.
SmallVector<Value> LayerNormOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0];
  Value dx = b.op<LayerNormGradOp>(getX(), getGamma(), g, getEps());
  ResultRange grad = dx.getDefiningOp()->getResults();
  Value normal = b.mul(b.sub(getX(), b.columnOf(grad[1])), b.columnOf(grad[2]));
  return {dx, b.mul(g, normal), g};
}
SmallVector<Value> RmsNormOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0];
  Value dx = b.op<RmsNormGradOp>(getX(), getGamma(), g, getEps());
  Value normal = b.mul(getX(), b.columnOf(dx.getDefiningOp()->getResult(1)));
  return {dx, b.mul(g, normal)};
}

/// Adjoints of the ops above for {x, gamma, g}, from cotangents of dx, of the scale, and (layer
/// norm) of the mean. With n the normal of a row of length N and h = g gamma, dx = scale P(h) with
/// P(v) = v - [mean(v)] - n mean(v n), which is symmetric: scale P(v) is what the op itself gives
/// for a cotangent v and ones as gamma.
template <typename Op>
static SmallVector<Value> rowNormGradAdjoints(Op op, GradBuilder &b, Value normal, Value u,
                                              Value scaleBar, Value meanBar) {
  Value x = op.getX(), gamma = op.getGamma(), g = op.getG(), scale = b.columnOf(op.getScale());
  Value length = b.real(double(op.getX().getType().getShape().back()), g);
  Value ones = b.broadcastTo(b.real(1.0, gamma), gamma.getType());
  auto project = [&](Value v) { return b.op<Op>(x, ones, v, op.getEps()); };
  auto mean = [&](Value v) { return b.div(b.rowSum(v), length); };
  SmallVector<Value> adjoints(3);
  auto addToX = [&](Value v) { adjoints[0] = adjoints[0] ? b.add(adjoints[0], v) : v; };
  Value scaleSum = scaleBar ? b.columnOf(scaleBar) : Value();
  if (u) {
    Value h = b.mul(g, gamma), hBar = project(u);
    adjoints[1] = b.mul(hBar, g), adjoints[2] = b.mul(hBar, gamma);
    Value normalBar = b.add(b.mul(mean(b.mul(h, normal)), u), b.mul(mean(b.mul(u, normal)), h));
    addToX(b.neg(project(b.mul(scale, normalBar))));
    Value fromDx = b.div(b.rowSum(b.mul(u, op.getDx())), scale);
    scaleSum = scaleSum ? b.add(scaleSum, fromDx) : fromDx;
  }
  if (scaleSum) // d scale / dx = -scale^2 n / N
    addToX(b.neg(b.mul(b.div(b.mul(scaleSum, b.square(scale)), length), normal)));
  if (meanBar)
    addToX(b.broadcastTo(b.div(b.columnOf(meanBar), length), x.getType()));
  return adjoints;
}
SmallVector<Value> LayerNormGradOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value normal = b.mul(b.sub(getX(), b.columnOf(getMean())), b.columnOf(getScale()));
  return rowNormGradAdjoints(*this, b, normal, cotangents[0], cotangents[2], cotangents[1]);
}
SmallVector<Value> RmsNormGradOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value normal = b.mul(getX(), b.columnOf(getScale()));
  return rowNormGradAdjoints(*this, b, normal, cotangents[0], cotangents[1], Value());
}

// With n = (x - mean) scale: dx = gamma scale (g - mean(g) - n mean(g n)).
SmallVector<Value> BatchNormalizeOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  auto type = getX().getType();
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
  Value g = cotangents[0], zero = b.real(0.0, g), mask;
  if (getValid()) {
    mask = validMask(b, type, getValid(), getBatchRows());
    g = b.select(mask, g, zero);
  }
  // n is written in two ways: a value with two readers would go through memory.
  Value normal = b.mul(b.sub(getX(), getMean()), getScale());
  Value again = b.mul(b.add(getX(), b.neg(getMean())), getScale());
  Value sum = b.reduceSum(g, dims), product = b.reduceSum(b.mul(g, normal), dims);
  Value inner = b.sub(b.sub(g, b.div(sum, getCount())), b.mul(again, b.div(product, getCount())));
  Value dx = b.mul(b.mul(getGamma(), getScale()), inner);
  if (mask)
    dx = b.select(mask, dx, zero);
  return {dx, Value(), Value(), product, sum, Value(), Value()};
}

// ---- Losses ----

/// (1 - s) t + s / classes
static Value smoothed(GradBuilder &b, Value target, double smoothing, int64_t classes) {
  if (smoothing == 0.0)
    return target;
  return b.add(b.mul(b.real(1 - smoothing, target), target), b.real(smoothing / classes, target));
}

// sigmoid(x) - t, and for t > 1/2 its negative with -x and 1 - t: a confident row is a small
// difference of large numbers in one of the two.
SmallVector<Value> BceWithLogitsOp::buildAdjoints(GradBuilder &b, ArrayRef<Value> cotangents) {
  Value g = cotangents[0], x = getX(), t = getTarget(), flips = b.greater(t, b.real(0.5, t));
  Value towards = b.op<SigmoidOp>(b.select(flips, b.neg(x), x));
  Value difference = b.sub(towards, b.select(flips, b.sub(b.real(1.0, t), t), t));
  return {b.mul(g, b.select(flips, b.neg(difference), difference)), b.neg(b.mul(g, x))};
}

// softmax * sum(t) - t per row; the sum is 1 for classes. Ignored rows get 0.
SmallVector<Value> SoftmaxCrossEntropyOp::buildAdjoints(GradBuilder &b,
                                                        ArrayRef<Value> cotangents) {
  auto type = getLogits().getType();
  double smoothing = number(getSmoothing());
  int64_t classes = type.getShape().back();
  Value g = b.columnOf(cotangents[0]), softmax = b.op<SoftmaxOp>(getLogits());
  if (isSparse()) {
    Value target = smoothed(b, b.op<OneHotOp>(type, getTarget()), smoothing, classes);
    if (auto ignore = getIgnore()) {
      Value label = b.columnOf(getTarget());
      g = b.select(b.compare(ComparePredicate::eq, label, b.real(double(*ignore), label)),
                   b.real(0.0, g), g);
    }
    return {b.mul(g, b.sub(softmax, target)), Value()};
  }
  Value target = smoothed(b, getTarget(), smoothing, classes);
  Value dlogits = b.mul(g, b.sub(b.mul(softmax, b.rowSum(target)), target));
  Value dtarget = b.mul(b.mul(g, b.real(smoothing - 1, g)), b.op<LogSoftmaxOp>(getLogits()));
  return {dlogits, dtarget};
}
