// Restoration of group norms as exporters write them for opsets without GroupNormalization:
// instance norm of groups, then factors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Raise.h"
#include "mlir-dialects/Train/Ops/CompositeNorm.h"
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// Vector of a number per channel, from [C, 1, ...] or [1, C, 1, ...]; null for other values.
static Value channelVector(Converter &c, Value value, int64_t rank, int64_t channels) {
  Dims dims(Converter::shapeOf(value)), wanted(rank - 1, 1);
  wanted[0] = channels;
  if (int64_t(dims.size()) == rank && dims[0] == 1)
    dims.erase(dims.begin());
  if (dims != wanted)
    return {};
  auto reshape = value.getDefiningOp<train::ReshapeOp>();
  bool wasVector = reshape && Converter::shapeOf(reshape.getX()) == ArrayRef<int64_t>(channels);
  return wasVector ? Value(reshape.getX()) : c.reshape(value, {channels});
}

static Value belowReshape(Value value) {
  auto reshape = value.getDefiningOp<train::ReshapeOp>();
  return reshape ? Value(reshape.getX()) : value;
}

/// Operand of a transpose [a, b, c] -> [a, c, b]; null for other values.
static Value exchanged(Value value) {
  auto transpose = value.getDefiningOp<train::TransposeOp>();
  return transpose && transpose.getPermutation() == ArrayRef<int64_t>({0, 2, 1}) ? transpose.getX()
                                                                                 : Value();
}

namespace {
/// Instance norm over groups, [N, groups, rest], in the shape of `x`.
struct Groups {
  Value x;
  int64_t count = 0;
  double epsilon = 0;
};
} // namespace

static std::optional<Groups> groupsOf(Value value) {
  Value inner = exchanged(belowReshape(value));
  auto norm = inner ? inner.getDefiningOp<train::InstanceNormOp>() : nullptr;
  if (!norm || numberOf(norm.getGamma()) != 1.0 || numberOf(norm.getBeta()) != 0.0)
    return std::nullopt;
  Value rows = exchanged(norm.getX());
  Groups groups = {rows ? belowReshape(rows) : Value(), 0, norm.getEps().convertToDouble()};
  if (!groups.x || groups.x.getType() != value.getType() || tensorOf(value).getRank() < 2 ||
      tensorOf(rows).getDimSize(0) != tensorOf(value).getDimSize(0))
    return std::nullopt;
  groups.count = tensorOf(rows).getDimSize(1);
  return groups;
}

Value ampc::onnx::matchGroupNorm(Converter &c, Value scaled, Value beta) {
  auto product = scaled ? scaled.getDefiningOp<train::MulOp>() : nullptr;
  if (!product || !beta)
    return {};
  int64_t rank = tensorOf(scaled).getRank();
  for (unsigned i : {0, 1}) {
    auto groups = groupsOf(product->getOperand(i));
    int64_t channels = groups ? tensorOf(scaled).getDimSize(1) : 0;
    if (!groups || channels % groups->count)
      continue;
    Value gamma = channelVector(c, product->getOperand(1 - i), rank, channels);
    Value moved = channelVector(c, beta, rank, channels);
    if (!gamma || !moved)
      return {};
    Value x = c.transpose(groups->x, toChannelsLast(rank));
    return c.make<train::GroupNormOp>(
        {x, gamma, moved}, {c.attr("groups", groups->count), c.attr("eps", groups->epsilon)},
        x.getType());
  }
  return {};
}
