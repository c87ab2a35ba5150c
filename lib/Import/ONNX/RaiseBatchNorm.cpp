// Restoration of batch norms that an exporter decomposed, with running statistics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Raise.h"
#include "mlir-dialects/Train/Ops/Tensors.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// Value below reshapes and transposes.
static Value strip(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<train::ReshapeOp, train::TransposeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Vector below a value [1, ..., 1, width]; null for other values.
static Value vectorOf(Value value, int64_t width) {
  ArrayRef<int64_t> shape = tensorOf(value).getShape();
  if (shape.empty() || shape.back() != width ||
      llvm::any_of(shape.drop_back(), [](int64_t size) { return size != 1; }))
    return {};
  Value vector = strip(value);
  return tensorOf(vector).getShape() == ArrayRef<int64_t>(width) ? vector : Value();
}

namespace {
/// Decomposed norm (x - mean) / sqrt(variance + epsilon) * gamma + beta.
struct DecomposedNorm {
  Value x, gamma, beta;
  train::ReadOp mean, variance;
  double epsilon = 0;

  bool isWhole() const { return x && beta && mean && variance; }
  /// Matches the operand of the root, variance + epsilon.
  bool setVariance(Value radicand);
  /// Matches a factor per channel.
  bool takeFactor(Value factor);
};
} // namespace

bool DecomposedNorm::setVariance(Value radicand) {
  auto sum = radicand ? strip(radicand).getDefiningOp<train::AddOp>() : nullptr;
  for (unsigned i : {0, 1})
    if (auto number = sum ? numberOf(sum->getOperand(i)) : std::nullopt; number && !variance) {
      epsilon = *number;
      variance = strip(sum->getOperand(1 - i)).getDefiningOp<train::ReadOp>();
      return variance && epsilon > 0;
    }
  return false;
}

bool DecomposedNorm::takeFactor(Value factor) {
  factor = strip(factor);
  if (Value radicand = reciprocalRootOf(factor))
    return setVariance(radicand);
  if (auto product = factor.getDefiningOp<train::MulOp>())
    return takeFactor(product->getOperand(0)) && takeFactor(product->getOperand(1));
  if (gamma)
    return false;
  gamma = factor;
  return true;
}

/// Matches factors and divisors from the result down to the deviations.
static bool readScaled(Value value, int64_t width, DecomposedNorm &norm) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->getNumOperands() != 2 || !value.hasOneUse())
      return false;
    Value left = op->getOperand(0), right = vectorOf(op->getOperand(1), width);
    if (isa<train::MulOp>(op) && !right) {
      right = vectorOf(left, width);
      left = op->getOperand(1);
    }
    if (!right)
      return false;
    if (isa<train::SubOp>(op)) {
      norm.x = left;
      norm.mean = right.getDefiningOp<train::ReadOp>();
      return bool(norm.mean);
    }
    if (isa<train::DivOp>(op) ? !norm.setVariance(squareRootOf(right))
                              : !isa<train::MulOp>(op) || !norm.takeFactor(right))
      return false;
    value = left;
  }
  return false;
}

/// Matches the folded form x * factor + (beta - mean * factor).
static bool readFolded(Value scaled, Value moved, int64_t width, DecomposedNorm &norm) {
  auto product = scaled.getDefiningOp<train::MulOp>();
  auto rest = moved.getDefiningOp<train::SubOp>();
  auto mean = rest ? strip(rest.getRhs()).getDefiningOp<train::MulOp>() : nullptr;
  for (unsigned i : {0, 1})
    for (unsigned j : {0, 1}) {
      Value factor = product && mean ? vectorOf(product->getOperand(i), width) : Value();
      if (!factor || strip(mean->getOperand(j)) != factor)
        continue;
      norm.x = product->getOperand(1 - i);
      norm.mean = strip(mean->getOperand(1 - j)).getDefiningOp<train::ReadOp>();
      norm.beta = strip(rest.getLhs());
      return norm.takeFactor(factor);
    }
  return false;
}

static std::optional<DecomposedNorm> match(Operation *root) {
  if (!isa<train::AddOp>(root) || tensorOf(root->getResult(0)).getShape().size() < 2)
    return std::nullopt;
  int64_t width = tensorOf(root->getResult(0)).getShape().back();
  for (unsigned i : {0, 1}) {
    Value moved = vectorOf(root->getOperand(1 - i), width);
    if (!moved)
      continue;
    DecomposedNorm norm, folded;
    norm.beta = moved;
    if (readScaled(root->getOperand(i), width, norm) && norm.isWhole())
      return norm;
    if (readFolded(root->getOperand(i), moved, width, folded) && folded.isWhole())
      return folded;
  }
  return std::nullopt;
}

static Operation *makeNorm(Operation *root, DecomposedNorm &norm) {
  Builder b(root->getContext());
  auto symbol = [&](train::ReadOp state) {
    return FlatSymbolRefAttr::get(b.getContext(), state.getState());
  };
  NamedAttribute attributes[] = {b.getNamedAttr("running_mean", symbol(norm.mean)),
                                 b.getNamedAttr("running_variance", symbol(norm.variance)),
                                 b.getNamedAttr("momentum", b.getF64FloatAttr(0.1)),
                                 b.getNamedAttr("eps", b.getF64FloatAttr(norm.epsilon))};
  return makeBefore(root, train::BatchNormOp::getOperationName(), {norm.x, norm.gamma, norm.beta},
                    attributes, root->getResult(0).getType());
}

std::vector<DecomposedBatchNorm>
ampc::onnx::raiseBatchNorms(train::FuncOp func,
                            llvm::function_ref<bool(const DecomposedBatchNorm &)> trains) {
  std::vector<DecomposedBatchNorm> found;
  bool isChanged = false;
  for (Operation &op : llvm::make_early_inc_range(func.front())) {
    auto norm = match(&op);
    if (!norm)
      continue;
    auto name = dyn_cast<NameLoc>(op.getLoc());
    found.push_back({name ? name.getName().str() : "", norm->mean.getState().str(),
                     norm->variance.getState().str()});
    Operation *made = trains(found.back()) && norm->gamma ? makeNorm(&op, *norm) : nullptr;
    if (!made)
      continue;
    made->setLoc(op.getLoc());
    op.getResult(0).replaceAllUsesWith(made->getResult(0));
    isChanged = true;
  }
  if (isChanged)
    eraseDead(func.front());
  return found;
}
