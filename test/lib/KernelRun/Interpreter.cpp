// Kernels evaluated point by point.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/KernelRun/Interpreter.h"
#include "mlir-dialects/Kernel/LinearMap.h"
#include "mlir-dialects/SourceWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace ampc;
using namespace ampc::test;

static int64_t flatPosition(AffineMap map, Type type, ArrayRef<int64_t> point) {
  int64_t position = 0;
  for (auto [i, size] : llvm::zip(map.compose(point), cast<RankedTensorType>(type).getShape()))
    position = position * size + i;
  return position;
}

int64_t test::positionIn(Attribute attr, Type type, ArrayRef<int64_t> point) {
  struct Linear {
    bool holds;
    int64_t first;
    SmallVector<int64_t> strides;
  };
  static DenseMap<std::pair<Attribute, Type>, Linear> known;
  AffineMap map = cast<AffineMapAttr>(attr).getValue();
  auto [entry, isNew] = known.try_emplace({attr, type});
  Linear &linear = entry->second;
  if (isNew) {
    SmallVector<int64_t> unit(point.size(), 0);
    linear.holds = isLinear(map);
    linear.first = flatPosition(map, type, unit);
    for (int64_t &index : unit) {
      index = 1;
      linear.strides.push_back(flatPosition(map, type, unit) - linear.first);
      index = 0;
    }
  }
  if (!linear.holds)
    return flatPosition(map, type, point);
  int64_t position = linear.first;
  for (auto [index, stride] : llvm::zip(point, linear.strides))
    position += index * stride;
  return position;
}

int64_t test::bytesOf(Type element) { return std::max(1u, element.getIntOrFloatBitWidth() / 8); }
static APFloat rounded(double value, FloatType type) {
  APFloat x(value);
  bool lost;
  x.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  return x;
}
Element test::readElement(const char *at, Type element) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, bytesOf(element));
  Element value;
  if (auto type = dyn_cast<FloatType>(element))
    value.real = APFloat(type.getFloatSemantics(), APInt(type.getWidth(), bits)).convertToDouble();
  else if (element.isInteger(1))
    value.whole = bits & 0xff ? 1 : 0;
  else
    value.whole = APInt(64, bits).trunc(element.getIntOrFloatBitWidth()).getSExtValue();
  return value;
}
void test::writeElement(char *at, Type element, Element value) {
  uint64_t bits = value.whole;
  if (auto type = dyn_cast<FloatType>(element))
    bits = rounded(value.real, type).bitcastToAPInt().getZExtValue();
  std::memcpy(at, &bits, bytesOf(element));
}

namespace {
/// Evaluates a body at points of the space.
struct Interpreter {
  Interpreter() = default; // of a body whose arguments are known
  Interpreter(FusedKernelOpInterface op, ArrayRef<Elements> inputs)
      : op(op), inputs(inputs), space(op.getSpace()) {}

  FusedKernelOpInterface op;
  ArrayRef<Elements> inputs;
  ArrayRef<int64_t> space;
  bool known = true;

  Element evaluate(Value value, SmallVector<int64_t> point, DenseMap<Value, Element> &done);
  Element evaluateOp(Operation *def, ArrayRef<Element> x);
  Element reduceRow(kernel::RowReduceOp reduce, SmallVector<int64_t> point);
  DenseMap<Value, std::pair<SmallVector<int64_t>, Element>> rows;
};
} // namespace

static Element combine(kernel::Combine kind, Element x, Element y) {
  switch (kind) {
  case kernel::Combine::sum:
    return {x.real + y.real, x.whole + y.whole};
  case kernel::Combine::max:
    return {std::max(x.real, y.real), std::max(x.whole, y.whole)};
  case kernel::Combine::min:
    return {std::min(x.real, y.real), std::min(x.whole, y.whole)};
  }
  llvm_unreachable("all kinds are listed");
}

Element Interpreter::reduceRow(kernel::RowReduceOp reduce, SmallVector<int64_t> point) {
  point.back() = 0;
  auto &[at, cached] = rows[reduce];
  if (at == point)
    return cached;
  Element sum;
  for (int64_t j = 0; j < space.back(); ++j) {
    point.back() = j;
    DenseMap<Value, Element> done;
    Element x = evaluate(reduce.getX(), point, done);
    sum = j ? combine(reduce.getKind(), sum, x) : x;
  }
  point.back() = 0;
  rows[reduce] = {point, sum};
  return sum;
}

static bool comparesFloats(arith::CmpFPredicate p, double x, double y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  unsigned bits = unsigned(p); // bit 0 equal, 1 greater, 2 less, 3 unordered
  return (x == y && bits & 1) || (x > y && bits & 2) || (x < y && bits & 4) ||
         (unordered && bits & 8);
}
static bool comparesIntegers(arith::CmpIPredicate p, int64_t x, int64_t y, unsigned width) {
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1, a = x & mask,
           b = y & mask;
  switch (p) {
  case arith::CmpIPredicate::eq:
    return x == y;
  case arith::CmpIPredicate::ne:
    return x != y;
  case arith::CmpIPredicate::slt:
    return x < y;
  case arith::CmpIPredicate::sle:
    return x <= y;
  case arith::CmpIPredicate::sgt:
    return x > y;
  case arith::CmpIPredicate::sge:
    return x >= y;
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("all predicates are listed");
}

Element Interpreter::evaluateOp(Operation *def, ArrayRef<Element> x) {
  auto real = [](double v) { return Element{v, 0}; };
  auto whole = [](int64_t v) { return Element{0, v}; };
  auto unsignedOf = [&](unsigned i) {
    unsigned width = def->getOperand(i).getType().getIntOrFloatBitWidth();
    return APInt(64, x[i].whole).trunc(width).getZExtValue();
  };
  unsigned width = def->getOperand(0).getType().getIntOrFloatBitWidth();
  return llvm::TypeSwitch<Operation *, Element>(def)
      .Case([&](arith::AddFOp) { return real(x[0].real + x[1].real); })
      .Case([&](arith::SubFOp) { return real(x[0].real - x[1].real); })
      .Case([&](arith::MulFOp) { return real(x[0].real * x[1].real); })
      .Case([&](arith::DivFOp) { return real(x[0].real / x[1].real); })
      .Case([&](arith::NegFOp) { return real(-x[0].real); })
      .Case([&](arith::MaximumFOp) { return real(std::fmax(x[0].real, x[1].real)); })
      .Case([&](arith::MinimumFOp) { return real(std::fmin(x[0].real, x[1].real)); })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return real(x[0].real); })
      .Case([&](arith::SIToFPOp) { return real(double(x[0].whole)); })
      .Case([&](arith::UIToFPOp) { return real(double(unsignedOf(0))); })
      .Case([&](arith::FPToSIOp) { return whole(int64_t(x[0].real)); })
      .Case<arith::ExtSIOp, arith::TruncIOp>([&](auto) { return whole(x[0].whole); })
      .Case([&](arith::ExtUIOp) { return whole(unsignedOf(0)); })
      .Case([&](arith::AddIOp) { return whole(x[0].whole + x[1].whole); })
      .Case([&](arith::SubIOp) { return whole(x[0].whole - x[1].whole); })
      .Case([&](arith::MulIOp) { return whole(x[0].whole * x[1].whole); })
      .Case([&](arith::AndIOp) { return whole(x[0].whole & x[1].whole); })
      .Case([&](arith::OrIOp) { return whole(x[0].whole | x[1].whole); })
      .Case([&](arith::XOrIOp) { return whole(x[0].whole ^ x[1].whole); })
      .Case([&](arith::MaxSIOp) { return whole(std::max(x[0].whole, x[1].whole)); })
      .Case([&](arith::MinSIOp) { return whole(std::min(x[0].whole, x[1].whole)); })
      .Case([&](arith::SelectOp) { return x[0].whole ? x[1] : x[2]; })
      .Case([&](arith::CmpFOp op) {
        return whole(comparesFloats(op.getPredicate(), x[0].real, x[1].real));
      })
      .Case([&](arith::CmpIOp op) {
        return whole(comparesIntegers(op.getPredicate(), x[0].whole, x[1].whole, width));
      })
      .Case([&](math::ExpOp) { return real(std::exp(x[0].real)); })
      .Case([&](math::ExpM1Op) { return real(std::expm1(x[0].real)); })
      .Case([&](math::Log2Op) { return real(std::log2(x[0].real)); })
      .Case([&](math::LogOp) { return real(std::log(x[0].real)); })
      .Case([&](math::Log1pOp) { return real(std::log1p(x[0].real)); })
      .Case([&](math::TanhOp) { return real(std::tanh(x[0].real)); })
      .Case([&](math::ErfOp) { return real(std::erf(x[0].real)); })
      .Case([&](math::SinOp) { return real(std::sin(x[0].real)); })
      .Case([&](math::CosOp) { return real(std::cos(x[0].real)); })
      .Case([&](math::PowFOp) { return real(std::pow(x[0].real, x[1].real)); })
      .Case([&](math::SqrtOp) { return real(std::sqrt(x[0].real)); })
      .Case([&](math::RsqrtOp) { return real(1 / std::sqrt(x[0].real)); })
      .Case([&](math::AbsFOp) { return real(std::fabs(x[0].real)); })
      .Case([&](math::FloorOp) { return real(std::floor(x[0].real)); })
      .Case([&](math::CeilOp) { return real(std::ceil(x[0].real)); })
      .Case([&](math::TruncOp) { return real(std::trunc(x[0].real)); })
      .Case([&](math::RoundOp) { return real(std::round(x[0].real)); })
      .Case([&](math::RoundEvenOp) { return real(std::nearbyint(x[0].real)); })
      .Case([&](math::FmaOp) { return real(std::fma(x[0].real, x[1].real, x[2].real)); })
      .Default([&](Operation *) {
        known = false;
        return Element{};
      });
}

Element Interpreter::evaluate(Value value, SmallVector<int64_t> point,
                              DenseMap<Value, Element> &done) {
  auto found = done.find(value);
  if (found != done.end())
    return found->second;
  Element result;
  Operation *def = value.getDefiningOp();
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    unsigned i = arg.getArgNumber() - op.getNumLeadingArguments();
    OperandRange operands = op.getInputsMutable();
    result = inputs[i][positionIn(op.getInputMaps()[i], operands[i].getType(), point)];
  } else if (auto reduce = dyn_cast<kernel::RowReduceOp>(def)) {
    result = reduceRow(reduce, point);
  } else if (isa<kernel::RowIndexOp>(def)) {
    result.whole = point.back();
  } else if (isa<kernel::LinearIndexOp>(def)) {
    for (auto [i, size] : llvm::zip(point, space))
      result.whole = result.whole * size + i;
  } else if (auto constant = dyn_cast<arith::ConstantOp>(def)) {
    if (auto attr = dyn_cast<FloatAttr>(constant.getValue()))
      result.real = attr.getValueAsDouble();
    else
      result.whole = cast<IntegerAttr>(constant.getValue()).getValue().getSExtValue();
  } else {
    SmallVector<Element> operands;
    for (Value operand : def->getOperands())
      operands.push_back(evaluate(operand, point, done));
    result = evaluateOp(def, operands);
  }
  // Rounds once per op, to the op's type.
  char bytes[8];
  writeElement(bytes, value.getType(), result);
  return done[value] = readElement(bytes, value.getType());
}

bool test::interpret(FusedKernelOpInterface op, ArrayRef<Elements> inputs,
                     std::vector<Elements> &results) {
  Interpreter interpreter(
      op, inputs.drop_front(op->getNumOperands() - OperandRange(op.getInputsMutable()).size()));
  auto reduce = dyn_cast<kernel::ReduceOp>(*op);
  if (!reduce && !isa<kernel::MapOp>(*op) && !canSum(op))
    return false;
  results.clear();
  for (Type type : op->getResultTypes())
    results.emplace_back(cast<RankedTensorType>(type).getNumElements());
  Operation *yield = op.getBody().front().getTerminator();
  SmallVector<int64_t> point(op.getSpace().size(), 0);
  int64_t points = ShapedType::getNumElements(op.getSpace());
  for (int64_t n = 0; n < points && interpreter.known; ++n) {
    int64_t rest = n;
    for (unsigned dim = point.size(); dim-- > 0; rest /= op.getSpace()[dim])
      point[dim] = rest % op.getSpace()[dim];
    DenseMap<Value, Element> done;
    if (canSum(op))
      done[op.getBody().getArgument(0)] = {sumAt(op, inputs, point), 0};
    for (unsigned k = 0; k < results.size(); ++k) {
      Element value = interpreter.evaluate(yield->getOperand(k), point, done);
      Element &into = results[k][positionIn(op.getResultMaps()[k], op->getResultTypes()[k], point)];
      bool isFirst = !reduce || point[1] == 0;
      into = isFirst ? value : combine(reduce.getKind(), into, value);
    }
  }
  return interpreter.known;
}

/// The first argument that a value of a body depends on: elements come before scalars.
static unsigned resultOf(Value value) {
  unsigned first = ~0u;
  SourceWalk().visit(value, [&](Value source) {
    if (auto argument = dyn_cast<BlockArgument>(source))
      first = std::min(first, argument.getArgNumber());
    return true;
  });
  return first;
}

bool test::interpretReductions(kernel::FusedReductionOp op, ArrayRef<Elements> inputs,
                               std::vector<Elements> &results) {
  Operation *kernel = op.getKernel();
  std::vector<Elements> own;
  for (Value operand : kernel->getOperands())
    own.push_back(inputs[cast<BlockArgument>(operand).getArgNumber()]);
  auto fused = dyn_cast<FusedKernelOpInterface>(kernel);
  if (!(fused ? interpret(fused, own, results) : interpretData(kernel, own, results)))
    return false;
  Interpreter interpreter;
  Block &body = op.getBody().front();
  unsigned written = kernel->getNumResults(), scalars = op.getLaunch().getNumArguments();
  for (unsigned k = 0; k < written; ++k) {
    Type element = cast<RankedTensorType>(kernel->getResult(k).getType()).getElementType();
    for (Element &stored : results[k]) { // rounded as in memory
      char bytes[8];
      writeElement(bytes, element, stored);
      stored = readElement(bytes, element);
    }
  }
  for (Value value : body.getTerminator()->getOperands()) {
    Element total;
    unsigned of = resultOf(value);
    for (Element stored : results[of]) {
      DenseMap<Value, Element> done;
      done[body.getArgument(of)] = stored;
      for (unsigned i = written; i < body.getNumArguments(); ++i)
        done[body.getArgument(i)] = inputs[scalars + i - written][0];
      total.real += interpreter.evaluate(value, {}, done).real;
    }
    results.push_back({total});
  }
  return interpreter.known;
}
