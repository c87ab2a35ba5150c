// Nodes whose results must be known at import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/ConstantFolding.h"
#include <cmath>

using namespace ampc;
using namespace ampc::onnx;

/// Whether all inputs are known; records a fault otherwise.
static bool needKnown(Converter &c) {
  if (isKnown(c))
    return true;
  c.fail("expected inputs that follow from the shapes of the model's inputs");
  return false;
}

static void convertShape(Converter &c) {
  llvm::ArrayRef<int64_t> dims = c.dims(0);
  int64_t rank = dims.size();
  auto bound = [&](llvm::StringRef name, int64_t otherwise) {
    int64_t at = c.integer(name, otherwise);
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = bound("start", 0), end = bound("end", rank);
  c.set(0, Literal::of(dims.slice(start, std::max<int64_t>(end - start, 0))));
}

static void convertSize(Converter &c) {
  int64_t count = 1;
  for (int64_t size : c.dims(0))
    if (__builtin_mul_overflow(count, size, &count)) {
      c.fail("expected less than 2^63 elements");
      return;
    }
  c.set(0, Literal::scalar(count));
}

static void convertConstant(Converter &c) {
  for (const Attribute &attribute : c.node.attributes) {
    if (attribute.name == "value") {
      if (give(c, readLiteral(attribute.tensor)))
        return;
      c.fail(attribute.tensor.fault.empty()
                 ? "expected at most " + std::to_string(mostElements) + " elements"
                 : attribute.tensor.fault);
      return;
    }
    if (attribute.name == "value_float")
      return c.set(0, Literal::scalar(onnx::Type::F32, attribute.real));
    if (attribute.name == "value_int")
      return c.set(0, Literal::scalar(attribute.integer));
    if (attribute.name == "value_ints")
      return c.set(0, Literal::of(attribute.ints));
    if (attribute.name == "value_floats") {
      Literal literal(onnx::Type::F32, {int64_t(attribute.reals.size())});
      for (auto [i, value] : llvm::enumerate(attribute.reals))
        literal.set(i, double(value));
      return c.set(0, std::move(literal));
    }
  }
  c.fail("expected a dense tensor of numbers");
}

static void convertConstantOfShape(Converter &c) {
  auto dims = needKnown(c) ? c.numbers(0, "a shape") : std::nullopt;
  if (!dims)
    return;
  const Attribute *value = c.node.find("value");
  auto element = value ? readLiteral(value->tensor) : Literal(onnx::Type::F32, {1});
  if (!element || element->count() != 1) {
    c.fail("expected a scalar to fill a tensor with");
    return;
  }
  element->dims = {};
  if (!give(c, broadcastLiteral(*element, *dims)))
    c.fail("expected a shape of at most " + llvm::Twine(mostElements) + " elements");
}

static void convertRange(Converter &c) {
  if (!needKnown(c))
    return;
  const Literal *start = c.literal(0), *limit = c.literal(1), *delta = c.literal(2);
  double steps = -1;
  if (limit && delta && start->count() == 1 && limit->count() == 1 && delta->count() == 1)
    steps = std::max(0.0, std::ceil((limit->real(0) - start->real(0)) / delta->real(0)));
  if (!(steps >= 0 && steps <= double(mostElements))) {
    c.fail("expected a start, a limit and a step of at most " + llvm::Twine(mostElements) +
           " elements");
    return;
  }
  Literal result(start->type, {int64_t(steps)});
  for (int64_t i = 0; i < result.count(); ++i)
    if (start->isReal())
      result.set(i, start->reals[0] + double(i) * delta->reals[0]);
    else
      result.set(i, start->ints[0] + i * delta->integer(0));
  c.set(0, std::move(result));
}

static void convertNonZero(Converter &c) {
  if (!needKnown(c))
    return;
  const Literal &x = *c.literal(0);
  Dims found;
  for (int64_t i = 0; i < x.count(); ++i)
    if (x.real(i) != 0)
      found.push_back(i);
  int64_t rank = x.dims.size(), many = found.size();
  Literal result(onnx::Type::I64, {rank, many});
  for (int64_t k = 0; k < many; ++k) {
    int64_t rest = found[k];
    for (int64_t d = rank - 1; d >= 0; --d) {
      result.ints[d * many + k] = rest % x.dims[d];
      rest /= x.dims[d];
    }
  }
  c.set(0, std::move(result));
}

static const Entry entries[] = {
    {"Constant", convertConstant}, {"ConstantOfShape", convertConstantOfShape},
    {"NonZero", convertNonZero},   {"Range", convertRange},
    {"Shape", convertShape},       {"Size", convertSize},
};

llvm::ArrayRef<Entry> ampc::onnx::knownEntries() { return entries; }
