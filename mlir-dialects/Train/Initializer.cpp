// Initialisers: the numbers they take, and their distributions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

Initializer ZerosAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::Constant, 0, 0};
}

Initializer OnesAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::Constant, 1, 0};
}

Initializer FillAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::Constant, number(getValue()), 0};
}

LogicalResult DataAttr::verify(EmitError emitError, StringAttr file, StringAttr name) {
  if (file.empty() || (name && name.empty()))
    return emitError() << "expected a file, and the name of a tensor if any, but got empty text";
  return success();
}

Initializer DataAttr::getInitializer(ArrayRef<int64_t>) const { return {Initializer::Data, 0, 0}; }

LogicalResult UniformAttr::verify(EmitError emitError, APFloat low, APFloat high) {
  if (failed(verifyFinite(emitError, {{"low", low}, {"high", high}})))
    return failure();
  if (number(low) > number(high))
    return emitError() << "expected low <= high, but got " << number(low) << " and "
                       << number(high);
  return success();
}

Initializer UniformAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::Uniform, number(getLow()), number(getHigh())};
}

LogicalResult NormalAttr::verify(EmitError emitError, APFloat mean, APFloat std) {
  if (failed(verifyFinite(emitError, {{"mean", mean}})))
    return failure();
  return verifyNotNegative(emitError, {{"std", std}});
}

Initializer NormalAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::Normal, number(getMean()), number(getStd())};
}

LogicalResult TruncatedNormalAttr::verify(EmitError emitError, APFloat mean, APFloat std) {
  return NormalAttr::verify(emitError, mean, std);
}

Initializer TruncatedNormalAttr::getInitializer(ArrayRef<int64_t>) const {
  return {Initializer::TruncatedNormal, number(getMean()), number(getStd())};
}

namespace {
struct Fans {
  double in, out;
};
} // namespace

/// A matrix is [in, out]; a filter is OHWI; a vector feeds itself.
static Fans fansOf(ArrayRef<int64_t> shape) {
  if (shape.size() == 4) {
    double window = double(shape[1]) * double(shape[2]);
    return {window * shape[3], window * shape[0]};
  }
  if (shape.empty())
    return {1, 1};
  return {double(shape.front()), double(shape.back())};
}

static Initializer uniform(double bound) { return {Initializer::Uniform, -bound, bound}; }

Initializer XavierUniformAttr::getInitializer(ArrayRef<int64_t> shape) const {
  Fans fans = fansOf(shape);
  return uniform(std::sqrt(6.0 / (fans.in + fans.out)));
}

Initializer XavierNormalAttr::getInitializer(ArrayRef<int64_t> shape) const {
  Fans fans = fansOf(shape);
  return {Initializer::Normal, 0, std::sqrt(2.0 / (fans.in + fans.out))};
}

Initializer KaimingUniformAttr::getInitializer(ArrayRef<int64_t> shape) const {
  return uniform(std::sqrt(6.0 / fansOf(shape).in));
}

Initializer KaimingNormalAttr::getInitializer(ArrayRef<int64_t> shape) const {
  return {Initializer::Normal, 0, std::sqrt(2.0 / fansOf(shape).in)};
}
