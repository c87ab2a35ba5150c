// Optimizer nodes: new parameters and moments from old ones and gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Converter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

namespace {
/// Inputs of a tensor: parameter, gradient, moments.
using Tensors = SmallVector<Value>;

/// Inputs shared by all tensors.
struct Common {
  Value rate;  ///< learning rate, a scalar
  Value count; ///< updates so far, in the type of the rate
};
} // namespace

static Value scaled(Converter &c, double factor, Value x) { return c.mul(c.real(factor, x), x); }

/// Linear combination a x + b y.
static Value blend(Converter &c, double a, Value x, double b, Value y) {
  return c.add(scaled(c, a, x), scaled(c, b, y));
}

/// Gradient plus the gradient of the L2 penalty.
static Value regularized(Converter &c, const Tensors &of) {
  double factor = c.real("norm_coefficient", 0);
  return factor == 0 ? of[1] : c.add(scaled(c, factor, of[0]), of[1]);
}

/// Power base^count.
static Value powerOfCount(Converter &c, double base, const Common &common) {
  return c.make<train::PowOp>({c.real(base, common.count), common.count});
}

static Value isLater(Converter &c, const Common &common) {
  return c.compare(train::ComparePredicate::gt, common.count, c.real(0, common.count));
}

static Value rootOf(Converter &c, Value x, double epsilon) {
  Value root = c.make<train::SqrtOp>(x);
  return c.add(root, c.real(epsilon, root));
}

static Tensors updateAdagrad(Converter &c, const Common &common, const Tensors &of) {
  Value one = c.real(1, common.rate);
  Value rate = c.div(common.rate, c.add(one, scaled(c, c.real("decay_factor", 0), common.count)));
  Value gradient = regularized(c, of);
  Value squares = c.add(of[2], c.mul(gradient, gradient));
  Value step = c.div(c.mul(rate, gradient), rootOf(c, squares, c.real("epsilon", 1e-6)));
  return {c.sub(of[0], step), squares};
}

static Tensors updateAdam(Converter &c, const Common &common, const Tensors &of) {
  double alpha = c.real("alpha", 0.9), beta = c.real("beta", 0.999);
  Value gradient = regularized(c, of);
  Value mean = blend(c, alpha, of[2], 1 - alpha, gradient);
  Value squares = blend(c, beta, of[3], 1 - beta, c.mul(gradient, gradient));
  Value one = c.real(1, common.rate);
  Value corrected =
      c.div(c.mul(common.rate, c.make<train::SqrtOp>(c.sub(one, powerOfCount(c, beta, common)))),
            c.sub(one, powerOfCount(c, alpha, common)));
  Value rate = c.select(isLater(c, common), corrected, common.rate);
  Value step = c.div(c.mul(rate, mean), rootOf(c, squares, c.real("epsilon", 1e-6)));
  Value x = c.sub(of[0], step);
  if (double decay = c.real("norm_coefficient_post", 0); decay != 0)
    x = scaled(c, 1 - decay, x);
  return {x, mean, squares};
}

static Tensors updateMomentum(Converter &c, const Common &common, const Tensors &of) {
  double alpha = c.real("alpha", 0);
  std::string mode = c.text("mode", "");
  if (mode != "standard" && mode != "nesterov") {
    c.fail("expected the mode standard or nesterov, but got '" + mode + "'");
    return {Value(), Value()};
  }
  Value gradient = regularized(c, of);
  // The first update counts gradients in full.
  Value beta =
      c.select(isLater(c, common), c.real(c.real("beta", 0), common.rate), c.real(1, common.rate));
  Value moment = c.add(scaled(c, alpha, of[2]), c.mul(beta, gradient));
  Value step = mode == "standard" ? moment : c.add(gradient, scaled(c, alpha, moment));
  return {c.sub(of[0], c.mul(common.rate, step)), moment};
}

/// Input of a single element as a scalar of a real type.
static Value numberIn(Converter &c, unsigned i) {
  if (countOf(c.dims(i)) != 1)
    return c.fail("expected one number as input " + Twine(i));
  return c.reshape(c.in(i), {});
}

/// Converts an optimizer node. Inputs: rate, count, all parameters, all gradients, all moments of
/// each kind; outputs: all parameters, all moments of each kind. Example, momentum on 2 tensors:
/// [rate, count, w0, w1, g0, g1, v0, v1].
template <auto update, unsigned kinds> static void convert(Converter &c) {
  if (c.inputs() < 2 + kinds || (c.inputs() - 2) % kinds != 0)
    return void(c.fail("expected a rate, a count, and " + Twine(kinds) +
                       " inputs per tensor, but got " + Twine(c.inputs()) + " inputs"));
  unsigned tensors = (c.inputs() - 2) / kinds;
  Common common = {numberIn(c, 0), numberIn(c, 1)};
  if (!common.rate || !common.count)
    return;
  common.count = c.cast(common.count, Converter::elementOf(common.rate));
  for (unsigned i = 0; i < tensors; ++i) {
    Tensors of;
    for (unsigned kind = 0; kind < kinds; ++kind) {
      unsigned input = 2 + kind * tensors + i;
      if (c.dims(input) != c.dims(2 + i))
        return void(c.fail("expected tensors, gradients and moments of one shape"));
      of.push_back(c.in(input));
    }
    for (auto [kind, value] : llvm::enumerate(update(c, common, of)))
      c.set(kind * tensors + i, value);
  }
}

static const Entry entries[] = {
    {"Adagrad", convert<updateAdagrad, 3>},
    {"Adam", convert<updateAdam, 4>},
    {"Momentum", convert<updateMomentum, 3>},
};

ArrayRef<Entry> ampc::onnx::trainingEntries() { return entries; }
