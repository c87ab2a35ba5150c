// Rounding, and functions of one real number in addition to those of Pointwise.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_FUNCTIONS
#define AMPC_TRAIN_FUNCTIONS
include "mlir-dialects/Train/Base.td"

// ---- Angles ----
def Train_TanOp : Train_RealUnaryOp<"tan", FullPrecision> {
  let summary = "Tangent";
  let lists = ["autocast=full", "argument=absolute"];
  let singular = [0];
  let saves = ["result"];
  let scalar = [{ return b.div(b.sin(x[0]), b.cos(x[0])); }];
  let adjoint =
      [{ return {::ampc::unlessZero(b, g, b.mul(g, b.add(b.real(1.0, g), b.square(getResult()))))}; }];
}
def Train_AsinOp : Train_RealUnaryOp<"asin", FullPrecision> {
  let summary = "Arc sine; NaN outside [-1, 1], the adjoint is 0 at -1 and 1";
  let lists = ["autocast=full"];
  let range = [{ return Interval{-M_PI_2, M_PI_2}; }];
  let singular = [0];
  let saves = ["0"];
  let scalar = [{ return b.asin(x[0]); }];
  let adjoint = [{
    Value one = b.real(1.0, g);
    return {::ampc::overRoot(b, g, b.mul(b.sub(one, getX()), b.add(one, getX())))}; }];
}
def Train_AcosOp : Train_RealUnaryOp<"acos", FullPrecision> {
  let summary = "Arc cosine; NaN outside [-1, 1], the adjoint is 0 at -1 and 1";
  let lists = ["autocast=full"];
  let range = [{ return Interval{0, M_PI}; }];
  let singular = [0];
  let saves = ["0"];
  let scalar = [{ return b.acos(x[0]); }];
  let adjoint = [{
    Value one = b.real(1.0, g);
    return {b.neg(::ampc::overRoot(b, g, b.mul(b.sub(one, getX()), b.add(one, getX()))))}; }];
}
def Train_AtanOp : Train_RealUnaryOp<"atan", FullPrecision> {
  let summary = "Arc tangent";
  let range = [{ return Interval{-M_PI_2, M_PI_2}; }];
  let saves = ["0"];
  let scalar = [{ return b.atan(x[0]); }];
  let adjoint = [{ return {b.div(g, b.add(b.real(1.0, g), b.square(getX())))}; }];
}

// ---- Exponentials and their inverses ----
def Train_Expm1Op : Train_RealUnaryOp<"expm1", FullPrecision> {
  let summary = "Exponential minus 1, accurate near 0";
  let lists = ["autocast=full", "propagate=deny", "argument=exponent"];
  let range = [{
    auto exponent = x(0);
    if (!exponent || !std::isfinite(std::exp(exponent->high)))
      return std::nullopt;
    return Interval{std::expm1(exponent->low), std::expm1(exponent->high)}; }];
  let saves = ["0"];
  let scalar = [{ return b.expm1(x[0]); }];
  let adjoint = [{ return {::ampc::unlessZero(b, g, b.mul(g, b.exp(getX())))}; }];
}
def Train_SinhOp : Train_RealUnaryOp<"sinh", FullPrecision> {
  let summary = "Hyperbolic sine";
  let lists = ["autocast=full", "argument=absolute"];
  let saves = ["0"];
  let scalar = [{ return b.sinh(x[0]); }];
  let adjoint = [{ return {::ampc::unlessZero(b, g, b.mul(g, b.op<CoshOp>(getX())))}; }];
}
def Train_CoshOp : Train_RealUnaryOp<"cosh", FullPrecision> {
  let summary = "Hyperbolic cosine";
  let lists = ["autocast=full", "argument=absolute"];
  let saves = ["0"];
  let scalar = [{ return b.cosh(x[0]); }];
  let adjoint = [{ return {::ampc::unlessZero(b, g, b.mul(g, b.op<SinhOp>(getX())))}; }];
}
def Train_AsinhOp : Train_RealUnaryOp<"asinh", FullPrecision> {
  let summary = "Inverse hyperbolic sine";
  // That of the largest double is 710.5.
  let range = [{ return ::ampc::within(711); }];
  let saves = ["0"];
  let scalar = [{ return b.asinh(x[0]); }];
  let adjoint = [{ return {b.div(g, b.sqrt(b.add(b.real(1.0, g), b.square(getX()))))}; }];
}
def Train_AcoshOp : Train_RealUnaryOp<"acosh", FullPrecision> {
  let summary = "Inverse hyperbolic cosine; NaN below 1, the adjoint is 0 at 1";
  let range = [{ return Interval{0, 711}; }];
  let singular = [0];
  let saves = ["0"];
  let scalar = [{ return b.acosh(x[0]); }];
  // Two roots, because the product of the radicands would overflow.
  let adjoint = [{
    Value one = b.real(1.0, g), above = b.sqrt(b.add(getX(), one));
    return {::ampc::overRoot(b, b.div(g, above), b.sub(getX(), one))}; }];
}
def Train_AtanhOp : Train_RealUnaryOp<"atanh", FullPrecision> {
  let summary = "Inverse hyperbolic tangent; infinite at -1 and 1, where the adjoint is 0, and "
                "NaN beyond";
  // That of the largest double below 1 is 18.7.
  let range = [{ return ::ampc::within(19); }];
  let singular = [0];
  let saves = ["0"];
  let scalar = [{ return b.atanh(x[0]); }];
  let adjoint = [{
    Value one = b.real(1.0, g), zero = b.real(0.0, g);
    Value divisor = b.mul(b.sub(one, getX()), b.add(one, getX()));
    return {b.select(b.greater(divisor, zero), b.div(g, divisor), zero)}; }];
}
def Train_ErfinvOp : Train_RealUnaryOp<"erfinv", FullPrecision> {
  let summary = "Inverse error function; infinite at -1 and 1, where the adjoint is 0, and NaN "
                "beyond";
  let lists = ["autocast=full"];
  // That of the largest double below 1 is 5.86.
  let range = [{ return ::ampc::within(6); }];
  let singular = [0];
  let saves = ["0", "result"];
  let scalar = [{ return b.erfinv(x[0]); }];
  let adjoint = [{
    Value slope = b.mul(b.real(1 / M_2_SQRTPI, g), b.exp(b.square(getResult())));
    Value inside = b.greater(b.real(1.0, g), b.op<AbsOp>(getX()));
    return {b.select(inside, b.mul(g, slope), b.real(0.0, g))}; }];
}

// ---- Whole numbers ----
def Train_CeilOp : Train_RealUnaryOp<"ceil", Passthrough> {
  let summary = "Ceiling: the smallest integer not below the operand; the gradient is 0";
  let lists = ["propagate=clear"];
  let scalar = [{ return b.ceil(x[0]); }];
  let adjoint = [{ return {Value()}; }];
}
def Train_RoundOp : Train_RealUnaryOp<"round", Passthrough> {
  let summary = "Nearest integer, ties to even; the gradient is 0";
  let lists = ["propagate=clear"];
  let scalar = [{ return b.roundEven(x[0]); }];
  let adjoint = [{ return {Value()}; }];
}
def Train_SignOp : Train_UnaryOp<"sign", Passthrough> {
  let summary = "Sign: -1, 0 or 1, NaN for NaN; the gradient is 0";
  let lists = ["propagate=clear"];
  let range = [{ return Interval{-1, 1}; }];
  let arguments = (ins NumberTensor:$x);
  let scalar = [{ return b.sign(x[0]); }];
  let adjoint = [{ return {Value()}; }];
}
class Train_RemainderOp<string mnemonic, string method> : Train_BinaryOp<mnemonic, Promote> {
  let doc = [{
    Reals: exact in f32 where the quotient is below 2^29; beyond, and in f64, the quotient is a rounded number. NaN where the divisor is 0.
    Integers: by 0 the dividend. The gradient of the divisor is the negative quotient, a whole number. }];
  let cancels = [0, 1];
  let arguments = (ins NumberTensor:$lhs, NumberTensor:$rhs);
  let saves = ["0", "1", "result"];
  let scalar = "return b."#method#"(x[0], x[1]);";
  let adjoint = [{
    Value quotient = b.op<RoundOp>(b.div(b.sub(getLhs(), getResult()), getRhs()));
    return {g, b.neg(b.mul(g, quotient))}; }];
}
def Train_ModOp : Train_RemainderOp<"mod", "mod"> {
  let summary = "Modulo: lhs - rhs * floor(lhs / rhs), with the sign of rhs: mod(-1, 3) = 2";
  let range =
      [{ auto by = x(1); return by ? ::ampc::Range(::ampc::within(by->magnitude())) : std::nullopt; }];
}
def Train_FmodOp : Train_RemainderOp<"fmod", "fmod"> {
  let summary = "Remainder of the quotient rounded towards 0, with the sign of lhs: fmod(-1, 3) "
                "= -1";
  let range =
      [{ auto by = x(1); return by ? ::ampc::Range(::ampc::within(by->magnitude())) : x(0); }];
}

// ---- Truth values ----
class Train_LogicalOp<string mnemonic> : Train_BinaryOp<mnemonic, Passthrough, [Commutative]> {
  let lists = ["propagate=clear"];
  let arguments = (ins TruthTensor:$lhs, TruthTensor:$rhs);
  let example = "%z = train."#mnemonic#" %x, %y : tensor<4x8xi1>, tensor<8xi1>";
  let differentiable = 0;
}
def Train_LogicalAndOp : Train_LogicalOp<"logical_and"> {
  let summary = "Logical and: whether both operands are true";
  let scalar = [{ return b.min(x[0], x[1]); }];
}
def Train_LogicalOrOp : Train_LogicalOp<"logical_or"> {
  let summary = "Logical or: whether at least one operand is true";
  let scalar = [{ return b.max(x[0], x[1]); }];
}
def Train_LogicalXorOp : Train_LogicalOp<"logical_xor"> {
  let summary = "Exclusive or: whether exactly one operand is true";
  let scalar = [{ return b.compare(ComparePredicate::ne, x[0], x[1]); }];
}
def Train_LogicalNotOp : Train_UnaryOp<"logical_not", Passthrough> {
  let summary = "Logical not: whether the operand is false";
  let lists = ["propagate=clear"];
  let arguments = (ins TruthTensor:$x);
  let example = "%y = train.logical_not %x : tensor<4x8xi1>";
  let scalar = [{ return b.equal(x[0], b.integer(0, x[0].getType())); }];
  let differentiable = 0;
}
#endif
