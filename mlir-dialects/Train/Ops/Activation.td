// Activations in addition to those of Pointwise.td: ELU, SELU, Mish and relatives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_ACTIVATION
#define AMPC_TRAIN_ACTIVATION
include "mlir-dialects/Train/Base.td"

class Train_AlphaOp<string mnemonic> : Train_RealUnaryOp<mnemonic, Passthrough> {
  let arguments = (ins RealTensor:$x, DefaultValuedAttr<F64Attr, "1.0">:$alpha);
  let assemblyFormat =
      "$x (`alpha` custom<Alpha>($alpha)^)? attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = train."#mnemonic#" %x alpha 0.5 : tensor<4x8xf32>";
  let saves = ["0"];
}
def Train_EluOp : Train_AlphaOp<"elu"> {
  let summary = "ELU: x where positive, else alpha (exp(x) - 1) (Clevert et al. 2015)";
  let lists = ["propagate=infer"];
  let range = [{
    auto y = x(0);
    double end = -getAlpha().convertToDouble();
    return y ? ::ampc::Range({std::min(end, 0.0), std::max({y->high, end, 0.0})}) : std::nullopt; }];
  let scalar = [{
    Value negative = b.mul(b.real(getAlpha().convertToDouble()), b.expm1(b.min(x[0], b.real(0.0))));
    return b.select(b.greater(x[0], b.real(0.0)), x[0], negative); }];
  let adjoint = [{
    Value zero = b.real(0.0, g), slope = b.exp(b.op<MinimumOp>(getX(), zero));
    Value negative = b.mul(b.mul(g, b.real(getAlpha().convertToDouble(), g)), slope);
    return {b.select(b.greater(getX(), zero), g, negative)}; }];
}
def Train_CeluOp : Train_AlphaOp<"celu"> {
  let summary = "CELU: x where positive, else alpha (exp(x / alpha) - 1) (Barron 2017)";
  let range = [{ return ::ampc::rectified(x(0), -getAlpha().convertToDouble()); }];
  let scalar = [{
    Value alpha = b.real(getAlpha().convertToDouble()), least = b.min(x[0], b.real(0.0));
    return b.select(b.greater(x[0], b.real(0.0)), x[0], b.mul(alpha, b.expm1(b.div(least, alpha)))); }];
  let adjoint = [{
    Value zero = b.real(0.0, g), least = b.op<MinimumOp>(getX(), zero);
    Value slope = b.exp(b.div(least, b.real(getAlpha().convertToDouble(), g)));
    return {b.select(b.greater(getX(), zero), g, b.mul(g, slope))}; }];
  let hasVerifier = 1;
}
def Train_SeluOp : Train_RealUnaryOp<"selu", Passthrough> {
  let summary = "SELU: 1.0507 x where positive, else 1.7581 (exp(x) - 1), which preserves mean "
                "0 and variance 1 (Klambauer et al. 2017)";
  let lists = ["propagate=infer"];
  let doc = "The factors are 1.0507009873554805 and that times 1.6732632423543772.";
  let range = [{
    auto y = x(0);
    return y ? ::ampc::Range({-1.7581, std::max(0.0, y->high) * 1.0508}) : std::nullopt; }];
  let saves = ["0"];
  let scalar = [{
    constexpr double scale = 1.0507009873554804934, alpha = 1.6732632423543772848;
    Value negative = b.mul(b.real(scale * alpha), b.expm1(b.min(x[0], b.real(0.0))));
    return b.select(b.greater(x[0], b.real(0.0)), b.mul(b.real(scale), x[0]), negative); }];
  let adjoint = [{
    constexpr double scale = 1.0507009873554804934, alpha = 1.6732632423543772848;
    Value zero = b.real(0.0, g), slope = b.exp(b.op<MinimumOp>(getX(), zero));
    Value negative = b.mul(b.real(scale * alpha, g), slope);
    return {b.mul(g, b.select(b.greater(getX(), zero), b.real(scale, g), negative))}; }];
}
def Train_PreluOp : Train_BinaryOp<"prelu", Promote> {
  let summary = "Parametric ReLU: x where positive, else slope * x, with a learned slope (He et "
                "al. 2015)";
  let doc = "The slope broadcasts to x: a scalar, or a vector with a slope per channel.";
  let arguments = (ins RealTensor:$lhs, RealTensor:$rhs);
  let saves = ["0", "1"];
  let scalar = [{ return b.select(b.greater(x[0], b.real(0.0)), x[0], b.mul(x[1], x[0])); }];
  let adjoint = [{
    Value zero = b.real(0.0, g), positive = b.greater(getLhs(), zero);
    return {b.select(positive, g, b.mul(g, getRhs())), b.select(positive, zero, b.mul(g, getLhs()))}; }];
}
def Train_HardsigmoidOp : Train_RealUnaryOp<"hardsigmoid", Passthrough> {
  let summary = "Hard sigmoid: slope * x + offset, clamped to [0, 1]; by default slope 1/6 and "
                "offset 1/2";
  let doc = "The cotangent passes where the result is neither 0 nor 1.";
  let range = [{ return Interval{0, 1}; }];
  let arguments = (ins RealTensor:$x, DefaultValuedAttr<F64Attr, "0.16666666666666666">:$slope,
      DefaultValuedAttr<F64Attr, "0.5">:$offset);
  let assemblyFormat =
      [{$x (`slope` custom<Slope>($slope)^)? (`offset` custom<Offset>($offset)^)? attr-dict
      custom<Types>(ref($x), type($x))}];
  let example = "%y = train.hardsigmoid %x slope 0.2 : tensor<4x8xf32>";
  let saves = ["0"];
  let scalar = [{
    Value line = b.add(b.mul(b.real(getSlope().convertToDouble()), x[0]), b.real(getOffset().convertToDouble()));
    return b.min(b.max(line, b.real(0.0)), b.real(1.0)); }];
  let adjoint = [{
    Value zero = b.real(0.0, g), slope = b.real(getSlope().convertToDouble(), g);
    Value line = b.add(b.mul(slope, getX()), b.real(getOffset().convertToDouble(), g));
    Value below = b.select(b.greater(b.real(1.0, g), line), b.mul(g, slope), zero);
    return {b.select(b.greater(line, zero), below, zero)}; }];
}
def Train_HardswishOp : Train_RealUnaryOp<"hardswish", Passthrough> {
  let summary = "Hard swish: x min(max(x + 3, 0), 6) / 6 (Howard et al. 2019)";
  let range = [{ return ::ampc::rectified(x(0), -0.375); }];
  let saves = ["0"];
  let scalar = [{
    Value line = b.add(b.div(x[0], b.real(6.0)), b.real(0.5));
    return b.mul(x[0], b.min(b.max(line, b.real(0.0)), b.real(1.0))); }];
  let adjoint = [{
    Value three = b.real(3.0, g), slope = b.add(b.div(getX(), three), b.real(0.5, g));
    Value below = b.select(b.greater(three, getX()), b.mul(g, slope), g);
    return {b.select(b.greater(getX(), b.real(-3.0, g)), below, b.real(0.0, g))}; }];
}
def Train_MishOp : Train_RealUnaryOp<"mish", Passthrough> {
  let summary = "Mish: x tanh(softplus(x)) (Misra 2019)";
  let range = [{ return ::ampc::rectified(x(0), -0.3089); }];
  let saves = ["0"];
  // With e = exp(x) the tangent is n / (n + 2), n = e (e + 2), and 1 from 20 on.
  let scalar = [{
    Value e = b.exp(b.min(x[0], b.real(20.0))), n = b.mul(e, b.add(e, b.real(2.0)));
    return b.mul(x[0], b.div(n, b.add(n, b.real(2.0)))); }];
  let adjoint = [{
    Value two = b.real(2.0, g), least = b.op<MinimumOp>(getX(), b.real(20.0, g)), e = b.exp(least);
    Value n = b.mul(e, b.add(e, two)), sum = b.add(n, two), t = b.div(n, sum), rest = b.div(two, sum);
    Value bend = b.mul(b.mul(least, b.op<SigmoidOp>(getX())), b.mul(rest, b.add(b.real(1.0, g), t)));
    return {b.mul(g, b.add(t, bend))}; }];
}
def Train_SoftsignOp : Train_RealUnaryOp<"softsign", Passthrough> {
  let summary = "Softsign: x / (1 + |x|)";
  let lists = ["propagate=infer"];
  let range = [{ return Interval{-1, 1}; }];
  let saves = ["0"];
  let scalar = [{ return b.div(x[0], b.add(b.real(1.0), b.abs(x[0]))); }];
  let adjoint = [{
    Value root = b.op<ReciprocalOp>(b.add(b.real(1.0, g), b.op<AbsOp>(getX())));
    return {b.mul(g, b.square(root))}; }];
}
#endif
