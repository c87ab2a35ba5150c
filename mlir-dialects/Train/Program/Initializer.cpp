// Initialisers: checks of parameters, and distributions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/Numbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;

Initializer ZerosAttr::getInitializer() const { return {Initializer::Constant, 0, 0}; }

Initializer OnesAttr::getInitializer() const { return {Initializer::Constant, 1, 0}; }

Initializer FillAttr::getInitializer() const {
  return {Initializer::Constant, number(getValue()), 0};
}

LogicalResult DataAttr::verify(EmitError emitError, StringAttr file, StringAttr name) {
  if (file.empty() || (name && name.empty()))
    return emitError() << "expected a file, and the name of a tensor if any, but got empty text";
  return success();
}

Initializer DataAttr::getInitializer() const { return {Initializer::Data, 0, 0}; }

LogicalResult UniformAttr::verify(EmitError emitError, APFloat low, APFloat high) {
  if (failed(verifyFinite(emitError, {{"low", low}, {"high", high}})))
    return failure();
  if (number(low) > number(high))
    return emitError() << "expected low <= high, but got " << number(low) << " and "
                       << number(high);
  return success();
}

Initializer UniformAttr::getInitializer() const {
  return {Initializer::Uniform, number(getLow()), number(getHigh())};
}

LogicalResult NormalAttr::verify(EmitError emitError, APFloat mean, APFloat std) {
  if (failed(verifyFinite(emitError, {{"mean", mean}})))
    return failure();
  return verifyNotNegative(emitError, {{"std", std}});
}

Initializer NormalAttr::getInitializer() const {
  return {Initializer::Normal, number(getMean()), number(getStd())};
}

LogicalResult TruncatedNormalAttr::verify(EmitError emitError, APFloat mean, APFloat std) {
  return NormalAttr::verify(emitError, mean, std);
}

Initializer TruncatedNormalAttr::getInitializer() const {
  return {Initializer::TruncatedNormal, number(getMean()), number(getStd())};
}

// ---- Variances that follow from fans ----

static LogicalResult verifyFans(EmitError emitError, int64_t in, int64_t out) {
  for (auto [name, fan] : {std::pair("fan_in", in), std::pair("fan_out", out)})
    if (fan < 1 && fan != Fans::open)
      return emitError() << "expected a positive " << name << ", but got " << fan;
  return success();
}
static StringRef missing(int64_t in, int64_t out) {
  if (in != Fans::open)
    return out == Fans::open ? "fan_out = ..." : "";
  return out == Fans::open ? "fan_in = ... and fan_out = ..." : "fan_in = ...";
}
static int64_t orElse(int64_t given, int64_t found) { return given == Fans::open ? found : given; }
static Initializer uniform(double bound) { return {Initializer::Uniform, -bound, bound}; }
static Initializer normal(double variance) { return {Initializer::Normal, 0, std::sqrt(variance)}; }

LogicalResult XavierUniformAttr::verify(EmitError emitError, int64_t in, int64_t out) {
  return verifyFans(emitError, in, out);
}
StringRef XavierUniformAttr::getMissingFans() const { return missing(getFanIn(), getFanOut()); }
Attribute XavierUniformAttr::withFans(Fans fans) const {
  return get(getContext(), orElse(getFanIn(), fans.in), orElse(getFanOut(), fans.out));
}
Initializer XavierUniformAttr::getInitializer() const {
  return uniform(std::sqrt(6.0 / (double(getFanIn()) + double(getFanOut()))));
}

LogicalResult XavierNormalAttr::verify(EmitError emitError, int64_t in, int64_t out) {
  return verifyFans(emitError, in, out);
}
StringRef XavierNormalAttr::getMissingFans() const { return missing(getFanIn(), getFanOut()); }
Attribute XavierNormalAttr::withFans(Fans fans) const {
  return get(getContext(), orElse(getFanIn(), fans.in), orElse(getFanOut(), fans.out));
}
Initializer XavierNormalAttr::getInitializer() const {
  return normal(2.0 / (double(getFanIn()) + double(getFanOut())));
}

LogicalResult KaimingUniformAttr::verify(EmitError emitError, int64_t in) {
  return verifyFans(emitError, in, Fans::open);
}
StringRef KaimingUniformAttr::getMissingFans() const { return missing(getFanIn(), 1); }
Attribute KaimingUniformAttr::withFans(Fans fans) const {
  return get(getContext(), orElse(getFanIn(), fans.in));
}
Initializer KaimingUniformAttr::getInitializer() const {
  return uniform(std::sqrt(6.0 / double(getFanIn())));
}

LogicalResult KaimingNormalAttr::verify(EmitError emitError, int64_t in) {
  return verifyFans(emitError, in, Fans::open);
}
StringRef KaimingNormalAttr::getMissingFans() const { return missing(getFanIn(), 1); }
Attribute KaimingNormalAttr::withFans(Fans fans) const {
  return get(getContext(), orElse(getFanIn(), fans.in));
}
Initializer KaimingNormalAttr::getInitializer() const { return normal(2.0 / double(getFanIn())); }
