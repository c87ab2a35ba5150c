// Convolutions and pools, which are [N, C, H, W] in ONNX and [N, H, W, C] in models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Export/ONNX/Emitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::exporting;

/// NHWC -> NCHW, and OHWI -> OIHW.
static const int64_t channelsFirst[] = {0, 3, 1, 2};

/// Padding [top, bottom, left, right] in ONNX's order [top, left, bottom, right].
static std::vector<int64_t> padsOf(ArrayRef<int64_t> p) { return {p[0], p[2], p[1], p[3]}; }

template <typename Op>
static std::vector<NodeAttribute> attributesOf(Op op, ArrayRef<int64_t> filter) {
  return {{"dilations", op.getDilations().vec()},
          {"group", int64_t(op.getGroups())},
          {"kernel_shape", std::vector<int64_t>{filter[1], filter[2]}},
          {"pads", padsOf(op.getPadding())},
          {"strides", op.getStrides().vec()}};
}
static std::string image(Emitter &e, Value x, Type element) {
  return e.cast(e.in(x, channelsFirst), Emitter::elementTypeOf(x), element);
}

/// Addition of a bias, if the sum is the only consumer of the convolution: the node then takes the
/// bias as an operand.
static train::AddOp biasOf(Emitter &e, Operation *op) {
  Value y = op->getResult(0);
  auto add = y.hasOneUse() ? dyn_cast<train::AddOp>(*y.user_begin()) : nullptr;
  if (!add || add->getBlock() != op->getBlock())
    return nullptr;
  Value bias = add.getLhs() == y ? add.getRhs() : add.getLhs();
  bool isBias = Emitter::shapeOf(bias) == ArrayRef(Emitter::shapeOf(y).back()) &&
                bias.getDefiningOp<train::ReadOp>();
  return isBias ? add : nullptr;
}

/// Emits the node of a convolution, with the bias if there is one.
static void emitWithBias(Emitter &e, Operation *op, StringRef kind, std::vector<std::string> inputs,
                         std::vector<NodeAttribute> attributes) {
  Value y = op->getResult(0);
  train::AddOp add = biasOf(e, op);
  if (add) {
    inputs.push_back(e.in(add.getLhs() == y ? add.getRhs() : add.getLhs()));
    e.skip(add);
  }
  e.set(y, e.node(kind, inputs, std::move(attributes)), channelsFirst);
  if (add)
    e.alias(add, y);
}

static void emitConv(Emitter &e, train::Conv2dOp op) {
  Type element = Emitter::elementTypeOf(op);
  emitWithBias(e, op, "Conv", {image(e, op.getImage(), element), image(e, op.getFilter(), element)},
               attributesOf(op, Emitter::shapeOf(op.getFilter())));
}

/// Exports the cotangent of a convolution's image as ConvTranspose. output_padding restores the
/// rows and columns that the forward size lost by rounding down.
static void emitConvTranspose(Emitter &e, train::Conv2dGradInputOp op) {
  ArrayRef<int64_t> filter = Emitter::shapeOf(op.getFilter()), from = Emitter::shapeOf(op.getG());
  std::vector<int64_t> extra;
  for (int i : {0, 1}) {
    int64_t reach = (filter[1 + i] - 1) * op.getDilations()[i] + 1;
    int64_t size = (from[1 + i] - 1) * op.getStrides()[i] + reach - op.getPadding()[2 * i] -
                   op.getPadding()[2 * i + 1];
    extra.push_back(Emitter::shapeOf(op)[1 + i] - size);
    if (extra.back() < 0 || extra.back() >= std::max(op.getStrides()[i], op.getDilations()[i]))
      return e.fail(op, "ConvTranspose of ONNX gives images of another size");
  }
  Type element = Emitter::elementTypeOf(op);
  std::vector<NodeAttribute> attributes = attributesOf(op, filter);
  attributes.push_back({"output_padding", extra});
  emitWithBias(e, op, "ConvTranspose",
               {image(e, op.getG(), element), image(e, op.getFilter(), element)}, attributes);
}

static void emitMaxPool(Emitter &e, train::MaxPoolOp op) {
  if (!op.getWhere().use_empty())
    return e.fail(op, "positions of maxima in windows");
  e.set(op.getResult(),
        e.node("MaxPool", {e.in(op.getX(), channelsFirst)},
               {{"kernel_shape", op.getWindow().vec()},
                {"pads", padsOf(op.getPadding())},
                {"strides", op.getStrides().vec()}}),
        channelsFirst);
}

static void emitAvgPool(Emitter &e, train::AvgPoolOp op) {
  e.set(op,
        e.node("AveragePool", {e.in(op.getX(), channelsFirst)},
               {{"count_include_pad", int64_t(1)},
                {"kernel_shape", op.getWindow().vec()},
                {"pads", padsOf(op.getPadding())},
                {"strides", op.getStrides().vec()}}),
        channelsFirst);
}

static void emitGlobalAvgPool(Emitter &e, train::GlobalAvgPoolOp op) {
  std::vector<int64_t> order = {0, Emitter::rankOf(op.getX()) - 1};
  for (int64_t dim = 1; dim < order[1]; ++dim)
    order.push_back(dim);
  std::string mean = e.node("GlobalAveragePool", {e.in(op.getX(), order)});
  e.set(op, e.node("Flatten", {mean}, {{"axis", int64_t(1)}}));
}

std::vector<Entry> exporting::imageEntries() {
  return {
      entry<train::Conv2dOp, emitConv>(),
      entry<train::Conv2dGradInputOp, emitConvTranspose>(),
      entry<train::MaxPoolOp, emitMaxPool>(),
      entry<train::AvgPoolOp, emitAvgPool>(),
      entry<train::GlobalAvgPoolOp, emitGlobalAvgPool>(),
  };
}
