// Pooling, and normalization over neighbouring channels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Window.h"
#include "mlir-dialects/Train/Ops/CompositeNorm.h"
#include "mlir-dialects/Train/Ops/Windows.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// Pools an image [N, ..., C]; null with a fault recorded.
static Value pooled(Converter &c, train::PoolMode mode, Value x) {
  auto kernel = c.ints("kernel_shape");
  if (!kernel || llvm::any_of(*kernel, [](int64_t size) { return size < 1 || size > (1 << 20); }))
    return c.fail("expected a kernel_shape");
  auto window = windowOf(c, *kernel);
  if (!window || !x)
    return {};
  SmallVector<NamedAttribute> attributes = windowAttributes(c, *window);
  attributes.push_back(c.b.getNamedAttr("mode", train::PoolModeAttr::get(c.b.getContext(), mode)));
  attributes.push_back(c.attr("window", window->kernel));
  if (c.integer("ceil_mode", 0))
    attributes.push_back(c.flag("ceil"));
  if (mode == train::PoolMode::mean && !c.integer("count_include_pad", 0))
    attributes.push_back(c.flag("exclude_padding"));
  return c.make<train::PoolOp>(x, attributes);
}

static void convertMaxPool(Converter &c) {
  if (c.wants(1)) {
    c.fail("expected no use of the indices");
    return;
  }
  // Pixels of 8 bits are exact in f32.
  Value x = c.image(0);
  mlir::Type element = x ? Converter::elementOf(x) : mlir::Type();
  bool isSmall = c.type(0) == onnx::Type::U8 || c.type(0) == onnx::Type::I8;
  Value y = pooled(c, train::PoolMode::max, isSmall && x ? c.cast(x, c.b.getF32Type()) : x);
  c.setImage(0, isSmall && y ? c.cast(y, element) : y);
}

static void convertAveragePool(Converter &c) {
  c.setImage(0, pooled(c, train::PoolMode::mean, c.image(0)));
}

static Value power(Converter &c, Value x, double exponent) {
  return x ? c.make<train::PowOp>({x, c.real(exponent, x)}) : Value();
}

/// Converts LpPool: sum(|x|^p)^(1/p).
static void convertLpPool(Converter &c) {
  double p = c.integer("p", 2);
  Value x = c.image(0);
  if (!x)
    return;
  Value powers = p == 2 ? c.make<train::SquareOp>(x) : power(c, c.make<train::AbsOp>(x), p);
  Value sums = pooled(c, train::PoolMode::sum, powers);
  c.setImage(0, p == 2 && sums ? c.make<train::SqrtOp>(sums) : power(c, sums, 1 / p));
}

static void convertGlobalPool(Converter &c, StringRef name) {
  Value x = c.image(0);
  if (!x)
    return;
  c.setImage(0, c.reduce(name, x, llvm::to_vector(llvm::seq<int64_t>(1, c.rank(0) - 1)), true));
}

static void convertLrn(Converter &c) {
  Value x = c.image(0);
  if (x)
    c.setImage(0, c.make<train::LrnOp>(
                      {x},
                      {c.attr("size", c.integer("size", 0)), c.attr("alpha", c.real("alpha", 1e-4)),
                       c.attr("beta", c.real("beta", 0.75)), c.attr("bias", c.real("bias", 1))},
                      x.getType()));
}

static const Entry entries[] = {
    {"AveragePool", convertAveragePool},
    {"GlobalAveragePool", [](Converter &c) { convertGlobalPool(c, "train.reduce_mean"); }},
    {"GlobalMaxPool", [](Converter &c) { convertGlobalPool(c, "train.reduce_max"); }},
    {"LpPool", convertLpPool, 2},
    {"LRN", convertLrn},
    {"MaxPool", convertMaxPool},
};

ArrayRef<Entry> ampc::onnx::poolEntries() { return entries; }
