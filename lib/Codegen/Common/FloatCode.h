// Builder for arithmetic on floats and on the bits of floats, for rewrite patterns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_FLOATCODE_H
#define LIB_CODEGEN_COMMON_FLOATCODE_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

namespace ampc::target {

/// Builds ops on scalars and vectors alike; a constant takes the shape and type of the other
/// operand.
class FloatCode {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;
  FloatCode(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  /// Type of the shape of `like` with elements of type `element`.
  static Type shaped(Type like, Type element) {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(like))
      return vector.clone(element);
    return element;
  }
  Value real(double value, Value like) {
    return constant(b.getFloatAttr(mlir::getElementTypeOrSelf(like), value), like.getType());
  }
  Value integer(int64_t value, Value like) {
    return constant(b.getIntegerAttr(mlir::getElementTypeOrSelf(like), value), like.getType());
  }
  Value bits(Value x) {
    unsigned width = mlir::getElementTypeOrSelf(x).getIntOrFloatBitWidth();
    return make<mlir::arith::BitcastOp>(shaped(x.getType(), b.getIntegerType(width)), x);
  }
  Value floatOf(Value bits, Type element) {
    return make<mlir::arith::BitcastOp>(shaped(bits.getType(), element), bits);
  }
  Value extend(Value x, Type element) {
    return make<mlir::arith::ExtFOp>(shaped(x.getType(), element), x);
  }
  Value truncate(Value x, Type element) {
    return make<mlir::arith::TruncFOp>(shaped(x.getType(), element), x);
  }
  Value zeroExtend(Value x, Type element) {
    return make<mlir::arith::ExtUIOp>(shaped(x.getType(), element), x);
  }
  Value low(Value x, Type element) {
    return make<mlir::arith::TruncIOp>(shaped(x.getType(), element), x);
  }

  Value add(Value x, Value y) { return make<mlir::arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return make<mlir::arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return make<mlir::arith::MulFOp>(x, y); }
  Value mul(Value x, double y) { return mul(x, real(y, x)); }
  Value add(Value x, double y) { return add(x, real(y, x)); }
  Value fma(Value x, Value y, Value z) { return make<mlir::math::FmaOp>(x, y, z); }
  Value div(Value x, Value y) { return make<mlir::arith::DivFOp>(x, y); }
  Value abs(Value x) { return make<mlir::math::AbsFOp>(x); }
  Value neg(Value x) { return make<mlir::arith::NegFOp>(x); }
  Value withSign(Value magnitude, Value sign) {
    return make<mlir::math::CopySignOp>(magnitude, sign);
  }
  Value addBits(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value addBits(Value x, int64_t y) { return addBits(x, integer(y, x)); }
  Value subBits(Value x, Value y) { return make<mlir::arith::SubIOp>(x, y); }
  Value subBits(Value x, int64_t y) { return subBits(x, integer(y, x)); }
  Value andBits(Value x, int64_t y) { return make<mlir::arith::AndIOp>(x, integer(y, x)); }
  Value orBits(Value x, Value y) { return make<mlir::arith::OrIOp>(x, y); }
  Value orBits(Value x, int64_t y) { return orBits(x, integer(y, x)); }
  Value right(Value x, int64_t n) { return make<mlir::arith::ShRUIOp>(x, integer(n, x)); }
  Value left(Value x, int64_t n) { return make<mlir::arith::ShLIOp>(x, integer(n, x)); }

  Value compare(mlir::arith::CmpFPredicate p, Value x, Value y) {
    return make<mlir::arith::CmpFOp>(p, x, y);
  }
  Value compare(mlir::arith::CmpFPredicate p, Value x, double y) {
    return compare(p, x, real(y, x));
  }
  Value isNaN(Value x) { return compare(mlir::arith::CmpFPredicate::UNO, x, x); }
  Value above(Value bits, int64_t bound) {
    return make<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::ugt, bits, integer(bound, bits));
  }
  Value select(Value condition, Value x, Value y) {
    return make<mlir::arith::SelectOp>(condition, x, y);
  }
  Value both(Value x, Value y) { return make<mlir::arith::AndIOp>(x, y); }
  /// c[0] + c[1] x + c[2] x^2 + ...
  Value polynomial(Value x, llvm::ArrayRef<double> c) {
    Value sum = real(c.back(), x);
    for (double coefficient : llvm::reverse(c.drop_back()))
      sum = add(mul(sum, x), coefficient);
    return sum;
  }
  /// Polynomial by Horner, a single rounding per term where the processor has fused multiply-add.
  Value fusedPolynomial(Value x, llvm::ArrayRef<double> c) {
    Value sum = real(c.back(), x);
    for (double coefficient : llvm::reverse(c.drop_back()))
      sum = fma(sum, x, real(coefficient, x));
    return sum;
  }

  mlir::OpBuilder &b;
  mlir::Location loc;

private:
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...)->getResult(0);
  }
  Value constant(mlir::TypedAttr attr, Type type) {
    if (auto vector = mlir::dyn_cast<mlir::VectorType>(type))
      attr = mlir::DenseElementsAttr::get(vector, mlir::cast<mlir::Attribute>(attr));
    return make<mlir::arith::ConstantOp>(attr);
  }
};

/// Expands a unary function whose result has `bits` bits.
template <typename Op, mlir::Value (*expand)(FloatCode &, mlir::Value), unsigned bits>
struct ExpandFunction : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;
  llvm::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    if (mlir::getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() != bits)
      return mlir::failure();
    FloatCode c(rewriter, op.getLoc());
    rewriter.replaceOp(op, expand(c, op.getOperand()));
    return mlir::success();
  }
};

template <typename Op, mlir::Value (*expand)(FloatCode &, mlir::Value)>
using ExpandF32 = ExpandFunction<Op, expand, 32>;
template <typename Op, mlir::Value (*expand)(FloatCode &, mlir::Value)>
using ExpandF64 = ExpandFunction<Op, expand, 64>;

/// Patterns for floor, ceil, round and fused multiply-add on tiers without the instruction.
void addRoundingPatterns(mlir::RewritePatternSet &patterns, bool hasRoundingUnit, bool hasFMA);
/// Patterns for conversions between 16-bit and wider floats. `hasBF16`: an instruction rounds to
/// bf16.
void addConversionPatterns(mlir::RewritePatternSet &patterns, bool hasF16, bool hasBF16 = false);
/// Patterns that turn functions of f64 into calls of libm, limited to `libmFunctions()`.
void addLibmPatterns(mlir::RewritePatternSet &patterns);
/// Patterns that compute functions of f32 in f64 and round once: `f32 -> f64 -> f32`.
void addWidenedFunctionPatterns(mlir::RewritePatternSet &patterns);

} // namespace ampc::target
#endif
