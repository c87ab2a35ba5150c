// Pattern matching: ops that an exporter decomposed into several nodes are restored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Raise.h"
#include "lib/Import/ONNX/Literal.h"
#include "mlir-dialects/Train/Ops/Gradients.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <cfloat>
#include <cmath>

using namespace mlir;
using namespace ampc;
using namespace ampc::onnx;

/// Number that a rounded f32 stands for: a short decimal, or a power 0.5, -0.5, 0.25 or -0.25 of an
/// integer up to 4096. An attention scales by width^-0.5, or queries and keys by width^-0.25 each.
/// Example: 0.17677669 -> 32^-0.5.
static double originalNumber(float rounded) {
  double number = shortest(rounded, FLT_DIG);
  if (number != rounded)
    return number;
  for (double power : {0.5, -0.5, 0.25, -0.25}) {
    double base = std::round(std::pow(rounded, 1 / power));
    if (base > 1 && base <= 4096 && float(std::pow(base, power)) == rounded)
      return std::pow(base, power);
  }
  for (double other : {std::sqrt(2 / M_PI), 1.0 / 6})
    if (float(other) == rounded)
      return other;
  return rounded;
}

std::optional<double> ampc::onnx::numberOf(Value value) {
  while (auto reshape = value.getDefiningOp<train::ReshapeOp>())
    value = reshape.getX();
  auto constant = value.getDefiningOp<train::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  if (!elements || !elements.isSplat())
    return std::nullopt;
  double number = elements.getSplatValue<APFloat>().convertToDouble();
  return elements.getElementType().isF32() ? originalNumber(float(number)) : number;
}

Operation *ampc::onnx::makeBefore(Operation *root, StringRef name, ValueRange operands,
                                  ArrayRef<NamedAttribute> attributes, mlir::Type type) {
  OpBuilder b(root);
  OperationState state(b.getUnknownLoc(), name, operands, type, attributes);
  Operation *made = b.create(state);
  ScopedDiagnosticHandler silent(root->getContext(), [](Diagnostic &) { return success(); });
  if (succeeded(mlir::verify(made, false)))
    return made;
  made->erase();
  return nullptr;
}

/// Whether the numbers agree in f64: a file in f64 with sqrt(2) rounded to f32 has another
/// constant, and values differ by 1e-8.
static bool isNear(double number, double wanted) {
  return std::fabs(number - wanted) <= 1e-14 * std::fabs(wanted);
}

// ---- Products ----

bool Product::take(Value value) {
  auto found = llvm::find(values, value);
  if (found == values.end())
    return false;
  values.erase(found);
  return true;
}

bool ampc::onnx::canLookThrough(Value value, int depth) {
  constexpr int deepest = 8;
  return depth == 0 || (depth < deepest && value.hasOneUse());
}

static void takeApart(Value value, Product &product, int depth = 0) {
  Operation *op = value.getDefiningOp();
  if (auto number = numberOf(value)) {
    product.factor *= *number;
    return;
  }
  bool isOpen = op && canLookThrough(value, depth);
  if (isOpen && isa<train::MulOp>(op)) {
    takeApart(op->getOperand(0), product, depth + 1);
    takeApart(op->getOperand(1), product, depth + 1);
    return;
  }
  if (isOpen && isa<train::DivOp>(op))
    if (auto number = numberOf(op->getOperand(1))) {
      product.factor /= *number;
      return takeApart(op->getOperand(0), product, depth + 1);
    }
  if (isOpen && isa<train::NegOp>(op)) {
    product.factor = -product.factor;
    return takeApart(op->getOperand(0), product, depth + 1);
  }
  unsigned times = 1;
  if (isOpen && isa<train::SquareOp>(op))
    times = 2;
  else if (isOpen && isa<train::PowOp>(op))
    if (auto power = numberOf(op->getOperand(1)); power && (*power == 2 || *power == 3))
      times = unsigned(*power);
  product.values.append(times, times > 1 ? op->getOperand(0) : value);
}

Product ampc::onnx::apart(Value value) {
  Product product;
  takeApart(value, product);
  return product;
}

// ---- Activations ----

/// The other operand of a sum with 1; null if `value` is no such sum.
static Value otherSummandOfOne(Value value) {
  auto sum = value.getDefiningOp<train::AddOp>();
  if (!sum)
    return {};
  for (unsigned i : {0, 1})
    if (auto number = numberOf(sum->getOperand(i)); number && *number == 1)
      return sum->getOperand(1 - i);
  return {};
}

/// Whether `value` is erf(x / sqrt(2)).
static bool isErf(Value value, Value x) {
  auto erf = value.getDefiningOp<train::ErfOp>();
  if (!erf)
    return false;
  Product inside = apart(erf.getX());
  return inside.take(x) && inside.values.empty() && isNear(inside.factor, std::sqrt(0.5));
}

/// Whether `value` is tanh(sqrt(2 / pi) (x + 0.044715 x^3)).
static bool isTanh(Value value, Value x) {
  auto tanh = value.getDefiningOp<train::TanhOp>();
  if (!tanh)
    return false;
  Product inside = apart(tanh.getX());
  auto sum = inside.values.size() == 1 ? inside.values[0].getDefiningOp<train::AddOp>() : nullptr;
  if (!sum || !isNear(inside.factor, std::sqrt(2 / M_PI)))
    return false;
  for (unsigned i : {0, 1}) {
    if (sum->getOperand(i) != x)
      continue;
    Product cube = apart(sum->getOperand(1 - i));
    if (isNear(cube.factor, 0.044715) && cube.take(x) && cube.take(x) && cube.take(x) &&
        cube.values.empty())
      return true;
  }
  return false;
}

/// Whether `value` is clamp(x + 3, 0, 6).
static bool isClampedLine(Value value, Value x) {
  auto clamp = value.getDefiningOp<train::ClampOp>();
  auto sum = clamp ? clamp.getX().getDefiningOp<train::AddOp>() : nullptr;
  if (!sum || clamp.getLow().convertToDouble() != 0 || clamp.getHigh().convertToDouble() != 6)
    return false;
  for (unsigned i : {0, 1})
    if (auto number = numberOf(sum->getOperand(i)); number && *number == 3)
      return sum->getOperand(1 - i) == x;
  return false;
}

/// Whether `value` is clamp(x / 6 + 0.5, 0, 1).
static bool isGateOfHardswish(Value value, Value x) {
  auto gate = value.getDefiningOp<train::HardsigmoidOp>();
  return gate && gate.getX() == x && isNear(gate.getSlope().convertToDouble(), 1.0 / 6) &&
         gate.getOffset().convertToDouble() == 0.5;
}

/// Name of the activation that equals `factor` times `x` times `gate`; "" if there is none.
static StringRef activationOf(double factor, Value x, Value gate) {
  if (factor == 0.5) {
    Value inside = otherSummandOfOne(gate);
    if (inside && isErf(inside, x))
      return train::GeluOp::getOperationName();
    if (inside && isTanh(inside, x))
      return train::GeluTanhOp::getOperationName();
  }
  if (isNear(factor, 1.0 / 6) && isClampedLine(gate, x))
    return train::HardswishOp::getOperationName();
  if (factor == 1 && isGateOfHardswish(gate, x))
    return train::HardswishOp::getOperationName();
  auto sigmoid = gate.getDefiningOp<train::SigmoidOp>();
  return factor == 1 && sigmoid && sigmoid.getX() == x ? train::SiluOp::getOperationName() : "";
}

static Operation *raiseActivation(Operation *root) {
  if (!isa<train::MulOp, train::DivOp>(root))
    return nullptr;
  Product product = apart(root->getResult(0));
  if (product.values.size() != 2)
    return nullptr;
  for (unsigned i : {0, 1}) {
    Value x = product.values[i];
    StringRef name = activationOf(product.factor, x, product.values[1 - i]);
    if (!name.empty() && x.getType() == root->getResult(0).getType())
      return makeBefore(root, name, x, {}, x.getType());
  }
  return nullptr;
}

// ---- Norms ----

/// Operand of the mean along the last dimension, which is kept; null if `value` is no such mean.
static Value meanOf(Value value) {
  auto reshape = value.getDefiningOp<train::ReshapeOp>();
  auto mean = reshape ? reshape.getX().getDefiningOp<train::ReduceMeanOp>() : nullptr;
  if (!mean)
    return {};
  int64_t last = tensorOf(mean.getX()).getShape().size() - 1;
  SmallVector<int64_t> kept(tensorOf(mean.getX()).getShape());
  if (mean.getDims() != ArrayRef<int64_t>(last))
    return {};
  kept[last] = 1;
  return tensorOf(value).getShape() == ArrayRef<int64_t>(kept) ? mean.getX() : Value();
}

Value ampc::onnx::squareRootOf(Value value) {
  auto root = value.getDefiningOp<train::SqrtOp>();
  return root ? root.getX() : Value();
}
Value ampc::onnx::reciprocalRootOf(Value value) {
  if (auto root = value.getDefiningOp<train::RsqrtOp>())
    return root.getX();
  if (auto reciprocal = value.getDefiningOp<train::ReciprocalOp>())
    return squareRootOf(reciprocal.getX());
  if (auto power = value.getDefiningOp<train::PowOp>())
    if (auto exponent = numberOf(power->getOperand(1)); exponent && *exponent == -0.5)
      return power->getOperand(0);
  if (auto quotient = value.getDefiningOp<train::DivOp>())
    if (auto one = numberOf(quotient.getLhs()); one && *one == 1)
      return squareRootOf(quotient.getRhs());
  return {};
}

namespace {
/// Normalization x / sqrt(mean(x^2) + epsilon), with the mean subtracted first if `isCentred`.
struct Normalized {
  Value x;
  double epsilon = 0;
  bool isCentred = false;
};
} // namespace

/// Matches `deviations` divided by the root of `radicand`, the mean square plus epsilon.
static std::optional<Normalized> normalized(Value deviations, Value radicand) {
  auto sum = radicand ? radicand.getDefiningOp<train::AddOp>() : nullptr;
  if (!sum)
    return std::nullopt;
  Normalized result;
  Value mean;
  for (unsigned i : {0, 1})
    if (auto epsilon = numberOf(sum->getOperand(i))) {
      result.epsilon = *epsilon;
      mean = meanOf(sum->getOperand(1 - i));
    }
  if (!mean || result.epsilon < 0)
    return std::nullopt;
  Product square = apart(mean);
  // The difference may be in the graph twice.
  auto isSame = [&](Value other) {
    auto a = deviations.getDefiningOp<train::SubOp>(), b = other.getDefiningOp<train::SubOp>();
    return other == deviations || (a && b && a.getLhs() == b.getLhs() && a.getRhs() == b.getRhs());
  };
  if (square.factor != 1 || square.values.size() != 2 || !llvm::all_of(square.values, isSame))
    return std::nullopt;
  result.x = deviations;
  if (auto difference = deviations.getDefiningOp<train::SubOp>();
      difference && meanOf(difference.getRhs()) == difference.getLhs()) {
    result.x = difference.getLhs();
    result.isCentred = true;
  }
  return result;
}

static std::optional<Normalized> matchNormalized(Operation *op) {
  if (auto quotient = dyn_cast<train::DivOp>(op))
    return normalized(quotient.getLhs(), squareRootOf(quotient.getRhs()));
  if (isa<train::MulOp>(op))
    for (unsigned i : {0, 1})
      if (Value radicand = reciprocalRootOf(op->getOperand(i)))
        return normalized(op->getOperand(1 - i), radicand);
  return std::nullopt;
}

/// Vector that the only consumer combines with `value`, such as gamma; the consumer is stored in
/// `user`.
template <typename Op> static Value vectorBeside(Value value, Operation *&user) {
  if (!value.hasOneUse() || !isa<Op>(*value.user_begin()))
    return {};
  user = *value.user_begin();
  Value other = user->getOperand(user->getOperand(0) == value ? 1 : 0);
  bool isVector = tensorOf(other).getShape() == tensorOf(value).getShape().take_back() &&
                  user->getResult(0).getType() == value.getType();
  return isVector ? other : Value();
}

/// Restores a layer or RMS norm, with gamma: without gamma a group norm has the same form.
static Operation *raiseNorm(Operation *op, Operation *&root) {
  auto found = matchNormalized(op);
  if (!found)
    return nullptr;
  Operation *scaled = nullptr, *moved = nullptr;
  Value gamma = vectorBeside<train::MulOp>(op->getResult(0), scaled);
  if (!gamma || gamma.getType() == op->getResult(0).getType())
    return nullptr;
  Builder b(op->getContext());
  NamedAttribute epsilon = b.getNamedAttr("eps", b.getF64FloatAttr(found->epsilon));
  root = scaled;
  if (!found->isCentred)
    return makeBefore(root, train::RmsNormOp::getOperationName(), {found->x, gamma}, epsilon,
                      found->x.getType());
  Value beta = vectorBeside<train::AddOp>(scaled->getResult(0), moved);
  if (!beta)
    return nullptr;
  root = moved;
  return makeBefore(root, train::LayerNormOp::getOperationName(), {found->x, gamma, beta}, epsilon,
                    found->x.getType());
}

// ---- Inputs ----

/// Removes a cast of an integer input to i32 in front of indices, and of casts to reals. A cast of
/// a real input stays: 300.7 -> 300.
static void readDirectly(train::CastOp cast) {
  for (OpOperand &use : llvm::make_early_inc_range(cast->getResult(0).getUses())) {
    Operation *user = use.getOwner();
    auto index = dyn_cast<IndexOpInterface>(user);
    auto other = dyn_cast<train::CastOp>(user);
    bool isReal = other && isa<FloatType>(getElementTypeOrSelf(other.getType()));
    if (!isReal && !(index && index.getIndices() == use.get()))
      continue;
    use.set(cast.getX());
    ScopedDiagnosticHandler silent(user->getContext(), [](Diagnostic &) { return success(); });
    if (failed(mlir::verify(user, false)))
      use.set(cast);
  }
  if (cast->use_empty())
    cast->erase();
}

// ---- Functions ----

/// Restores the op that `op` completes; `root` becomes the op whose result is replaced.
static Operation *raised(Operation *op, Operation *&root) {
  if (op->getNumResults() == 0)
    return nullptr;
  if (Operation *made = raiseNorm(op, root))
    return made;
  root = op;
  for (auto raise :
       {raiseActivation, raiseAttention, raiseLoss, raiseOneHot, raiseBags, raiseLinear})
    if (Operation *made = raise(op))
      return made;
  return nullptr;
}

/// Erases dead ops, from the end, so that operands of erased ops are dead when visited.
void ampc::onnx::eraseDead(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

/// Restores ops in a block; whether there was any. A restored op stands behind all ops that it
/// replaces.
static bool raiseAll(Block &body) {
  bool hasRaised = false;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    Operation *root = &op, *made = raised(&op, root);
    if (!made)
      continue;
    if (isa<UnknownLoc>(made->getLoc()))
      made->setLoc(root->getLoc());
    root->getResult(0).replaceAllUsesWith(made->getResult(0));
    hasRaised = true;
  }
  return hasRaised;
}

/// Whether a train.grad has an intermediate value as source: restoring ops would remove that value.
static bool hasInnerSource(train::FuncOp func) {
  return llvm::any_of(func.getOps<train::GradOp>(), [](train::GradOp grad) {
    return llvm::any_of(grad.getSources(), [](Value source) {
      return source.getDefiningOp() && !source.getDefiningOp<train::ReadOp>();
    });
  });
}

void ampc::onnx::raise(train::FuncOp func) {
  eraseDead(func.front());
  if (hasInnerSource(func))
    return;
  // Losses are restored over several rounds, bodies of loops before the loops.
  constexpr int mostRounds = 4;
  SmallVector<Block *> blocks;
  func.walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks)
    for (int round = 0; round < mostRounds && raiseAll(*block); ++round)
      eraseDead(*block);
  for (auto cast : llvm::to_vector(func.getOps<train::CastOp>()))
    if (isa<BlockArgument>(cast.getX()) && getElementTypeOrSelf(cast.getX()).isInteger() &&
        getElementTypeOrSelf(cast.getType()).isInteger(32))
      readDirectly(cast);
}
