// Pointwise ops: one scalar expression per element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TRAIN_POINTWISE
#define AMPC_TRAIN_POINTWISE
include "mlir-dialects/Train/Base.td"

def Train_AddOp : Train_BinaryOp<"add", Promote, [Commutative, SumsOperands]> {
  let summary = "Sum";
  let lists = ["propagate=infer"];
  let range = [{ return x(0) + x(1); }];
  let cancels = [0, 1];
  let scalar = [{ return b.add(x[0], x[1]); }];
  let adjoint = [{ return {g, g}; }];
  let hasCanonicalizer = 1;
}
def Train_SubOp : Train_BinaryOp<"sub", Promote> {
  let summary = "Difference";
  let lists = ["propagate=infer"];
  let range = [{ return x(0) - x(1); }];
  let cancels = [0, 1];
  let scalar = [{ return b.sub(x[0], x[1]); }];
  let adjoint = [{ return {g, b.neg(g)}; }];
}
def Train_MulOp
    : Train_BinaryOp<"mul", Promote, [Commutative, DeclareOpInterfaceMethods<ScalingOpInterface>]> {
  let summary = "Product";
  let lists = ["propagate=infer"];
  let extraClassDeclaration = "static bool readsNumbersExactly() { return true; }";
  let range = [{ return x(0) * x(1); }];
  let saves = ["0", "1"];
  let scalar = [{ return b.mul(x[0], x[1]); }];
  let adjoint =
      [{ return {::ampc::timesFactor(b, g, getRhs()), ::ampc::timesFactor(b, g, getLhs())}; }];
}
def Train_DivOp : Train_BinaryOp<"div", Promote> {
  let summary = "Quotient";
  let lists = ["propagate=infer"];
  let extraClassDeclaration = "static bool readsNumbersExactly() { return true; }";
  let doc =
      [{Integers: rounded towards zero; x / 0 is 0, and the smallest integer by -1 is itself, as on Arm processors. Arithmetic of i1 is modulo 2. }];
  let singular = [1];
  let saves = ["1", "result"];
  let scalar = [{ return b.div(x[0], x[1]); }];
  // Division in place of a product with g / rhs, which overflows for denormal rhs: inf * 0 would be
  // NaN.
  let adjoint = [{
    Value ofRhs = b.neg(b.mul(g, b.div(getResult(), getRhs())));
    return {::ampc::unlessZero(b, g, b.div(g, getRhs())), ::ampc::unlessZero(b, g, ofRhs)}; }];
}
def Train_NegOp : Train_UnaryOp<"neg", Passthrough> {
  let summary = "Negation";
  let lists = ["propagate=clear"];
  let range = [{ return -x(0); }];
  let scalar = [{ return b.neg(x[0]); }];
  let adjoint = [{ return {b.neg(g)}; }];
}
def Train_ReluOp : Train_RealUnaryOp<"relu", Passthrough> {
  let summary = "ReLU: max(x, 0)";
  let lists = ["propagate=clear"];
  let range = [{ return ::ampc::rectified(x(0), 0); }];
  let saves = ["result"];
  let scalar = [{ return b.max(x[0], b.real(0.0)); }];
  // A select, not a product with 0 or 1: inf * 0 would be NaN.
  let adjoint = [{ return {b.select(b.greater(getResult(), b.real(0.0, g)), g, b.real(0.0, g))}; }];
}
def Train_TanhOp : Train_RealUnaryOp<"tanh", Passthrough> {
  let summary = "Hyperbolic tangent";
  let lists = ["propagate=infer"];
  let range = [{ return Interval{-1, 1}; }];
  let saves = ["result"];
  let scalar = [{ return b.tanh(x[0]); }];
  let adjoint = [{ return {b.mul(g, b.sub(b.real(1.0, g), b.square(getResult())))}; }];
}
def Train_ExpOp : Train_RealUnaryOp<"exp", FullPrecision> {
  let summary = "Exponential";
  let lists = ["autocast=full", "propagate=deny", "argument=exponent"];
  let range = [{
    auto exponent = x(0);
    if (!exponent || !std::isfinite(std::exp(exponent->high)))
      return std::nullopt;
    return Interval{std::exp(exponent->low), std::exp(exponent->high)}; }];
  let saves = ["result"];
  let scalar = [{ return b.exp(x[0]); }];
  let adjoint = [{ return {::ampc::unlessZero(b, g, b.mul(g, getResult()))}; }];
}
def Train_SqrtOp : Train_RealUnaryOp<"sqrt", FullPrecision> {
  let summary = "Square root; the adjoint is 0 at 0";
  let lists = ["mincut-bf16=normalize", "propagate=infer"];
  let saves = ["result"];
  let scalar = [{ return b.sqrt(x[0]); }];
  let adjoint = [{
    Value y = getResult(), zero = b.real(0.0, g);
    return {b.select(b.greater(y, zero), b.div(b.mul(g, b.real(0.5, g)), y), zero)}; }];
}
def Train_SquareOp : Train_RealUnaryOp<"square", FullPrecision> {
  let summary = "Square";
  let lists = ["mincut-bf16=normalize", "propagate-bf16=infer"];
  let range =
      [{ auto y = x(0); return y ? ::ampc::Range({0, y->magnitude() * y->magnitude()}) : std::nullopt; }];
  let saves = ["0"];
  let scalar = [{ return b.mul(x[0], x[0]); }];
  let adjoint = [{ return {b.mul(g, b.mul(b.real(2.0, g), getX()))}; }];
}
def Train_SinOp : Train_RealUnaryOp<"sin", FullPrecision> {
  let summary = "Sine";
  let lists = ["argument=absolute"];
  let range = [{ return Interval{-1, 1}; }];
  let saves = ["0"];
  let scalar = [{ return b.sin(x[0]); }];
  let adjoint = [{ return {b.mul(g, b.cos(getX()))}; }];
}
def Train_CosOp : Train_RealUnaryOp<"cos", FullPrecision> {
  let summary = "Cosine";
  let lists = ["argument=absolute"];
  let range = [{ return Interval{-1, 1}; }];
  let saves = ["0"];
  let scalar = [{ return b.cos(x[0]); }];
  let adjoint = [{ return {b.neg(b.mul(g, b.op<SinOp>(getX())))}; }];
}
def Train_FloorOp : Train_RealUnaryOp<"floor", Passthrough> {
  let summary = "Floor: the largest integer not above the operand; the gradient is 0";
  let lists = ["propagate=clear"];
  let scalar = [{ return b.floor(x[0]); }];
  let adjoint = [{ return {Value()}; }];
}
def Train_SelectOp : Train_Op<"select", Passthrough,
                              [InferTypeOpAdaptor, DeclareOpInterfaceMethods<ScalarOpInterface>,
                               DeclareOpInterfaceMethods<ScalingOpInterface>]> {
  let summary = "Selection: `a` where `condition` is true, else `c`, with numpy broadcasting";
  let lists = ["propagate=clear"];
  let range = [{ return ::ampc::hull(x(1), x(2)); }];
  let example = "%y = train.select %m, %a, %c : tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>";
  let arguments = (ins AnyRankedTensor:$condition, AnyRankedTensor:$a, AnyRankedTensor:$c);
  let assemblyFormat =
      "$condition `,` custom<Element>($a) `,` custom<Element>($c) attr-dict "
      "custom<ElementTypes>(ref($condition), type($condition), ref($a), type($a), ref($c), "
      "type($c))";
  let saves = ["0"];
  let scalar = [{ return b.select(x[0], x[1], x[2]); }];
  let adjoint = [{
    Value zero = b.real(0.0, g);
    return {Value(), b.select(getCondition(), g, zero), b.select(getCondition(), zero, g)}; }];
}

def Train_ComparePredicate
    : I32EnumAttr<"ComparePredicate", "an order relation",
                  [I32EnumAttrCase<"eq", 0>, I32EnumAttrCase<"ne", 1>, I32EnumAttrCase<"lt", 2>,
                   I32EnumAttrCase<"le", 3>, I32EnumAttrCase<"gt", 4>, I32EnumAttrCase<"ge", 5>]> {
  let cppNamespace = "::ampc::train";
  let genSpecializedAttr = 0;
}
def Train_ComparePredicateAttr : EnumAttr<TrainDialect, Train_ComparePredicate, "predicate">;
def Train_CompareOp
    : Train_Op<"compare",
               Promote, [InferTypeOpAdaptor, DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary =
      "Order relation, as i1; comparisons with NaN are false except `ne`, and false is less "
      "than true";
  let lists = ["propagate=clear"];
  let extraClassDeclaration = [{
    bool comparesEqual() {
      return getPredicate() == ComparePredicate::eq || getPredicate() == ComparePredicate::ne;
    }
  }];
  let example = "%m = train.compare gt %x, %y : tensor<4x8xf32>, tensor<8xf32>";
  let arguments = (ins Train_ComparePredicateAttr:$predicate, AnyRankedTensor:$lhs,
      AnyRankedTensor:$rhs);
  let assemblyFormat = "$predicate custom<Element>($lhs) `,` custom<Element>($rhs) attr-dict "
                       "custom<ElementTypes>(ref($lhs), type($lhs), ref($rhs), type($rhs))";
  let differentiable = 0;
  let scalar = [{ return b.compare(getPredicate(), x[0], x[1]); }];
  let extraDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *context,
        std::optional<::mlir::Location> loc, Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      if (failed(::ampc::inferBroadcast(loc, adaptor.getLhs().getType(), adaptor.getRhs().getType(), types)))
        return ::mlir::failure();
      types[0] = ::llvm::cast<::mlir::RankedTensorType>(types[0]).clone(::mlir::IntegerType::get(context, 1));
      return ::mlir::success();
    }
  }];
}
def Train_CastOp : Train_Op<"cast", Passthrough, [DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary =
      "Conversion to another element type; to reals with rounding to nearest, ties to even";
  let range = [{
    Type to = getType().getElementType();
    if (isa<::mlir::FloatType>(to))
      return x(0);
    return to.isInteger(1) ? ::ampc::Range({0, 1}) : ::ampc::hull(x(0), Interval{0, 0}); }];
  let example = "%y = train.cast %x : tensor<4x8xf32> to tensor<4x8xbf16>";
  let doc = [{
    Reals are truncated to integers, saturating to the smallest or largest integer of the type, and NaN becomes 0.
    Integers wrap to narrower integers, but integers of inputs are checked before a program runs. For i1, nonzero
    values are true, including NaN, as in NumPy. `is_unsigned` reads an integer as unsigned. }];
  let arguments = (ins AnyRankedTensor:$x, UnitAttr:$is_unsigned);
  let assemblyFormat = "$x attr-dict custom<TypeTo>(ref($x), type($x), type($result))";
  let scalar = [{ return b.castTo(x[0], getType().getElementType(), getIsUnsigned()); }];
  let adjoint = [{ return {b.castTo(g, getX().getType().getElementType())}; }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

// ---- Powers and logarithms ----
def Train_PowOp : Train_BinaryOp<"pow", FullPrecision> {
  let summary = "Power: lhs to the power rhs, for lhs >= 0 or an integral constant rhs";
  let lists = ["autocast=full", "propagate=deny", "argument=absolute"];
  let singular = [0];
  let doc = "The cotangent of the exponent is 0 where the base is not positive.";
  let arguments = (ins RealTensor:$lhs, RealTensor:$rhs);
  let saves = ["0", "1", "result"];
  let scalar = [{ return b.pow(x[0], x[1]); }];
  let hasCanonicalizer = 1;
}
def Train_AbsOp : Train_UnaryOp<"abs", Passthrough> {
  let summary = "Absolute value; the adjoint is 0 at 0";
  let lists = ["propagate=clear"];
  let range = [{ auto y = x(0); return y ? ::ampc::Range({0, y->magnitude()}) : std::nullopt; }];
  let saves = ["0"];
  let scalar = [{ return b.abs(x[0]); }];
  let adjoint = [{
    Value zero = b.real(0.0, g);
    return {b.select(b.greater(getX(), zero), g, b.select(b.greater(zero, getX()), b.neg(g), zero))}; }];
}
def Train_RsqrtOp : Train_RealUnaryOp<"rsqrt", FullPrecision> {
  let summary = "Reciprocal square root";
  let lists = ["mincut-bf16=normalize", "autocast=full", "propagate-bf16=infer"];
  let singular = [0];
  let saves = ["result"];
  let scalar = [{ return b.rsqrt(x[0]); }];
  let adjoint = [{
    Value y = getResult();
    return {::ampc::unlessZero(b, g, b.mul(b.mul(g, b.real(-0.5, g)), b.mul(y, b.square(y))))}; }];
}
def Train_ReciprocalOp : Train_RealUnaryOp<"reciprocal", FullPrecision> {
  let summary = "Reciprocal";
  let lists = ["mincut-bf16=normalize", "autocast=full", "propagate=infer"];
  let singular = [0];
  let saves = ["result"];
  let scalar = [{ return b.div(b.real(1.0), x[0]); }];
  let adjoint = [{ return {::ampc::unlessZero(b, g, b.neg(b.mul(g, b.square(getResult()))))}; }];
}
def Train_LogOp : Train_RealUnaryOp<"log", FullPrecision> {
  let summary = "Natural logarithm";
  let lists = ["autocast=full", "propagate=infer"];
  let singular = [0];
  let saves = ["0"];
  let scalar = [{ return b.log(x[0]); }];
  let adjoint = [{ return {::ampc::unlessZero(b, g, b.div(g, getX()))}; }];
}
def Train_Log1pOp : Train_RealUnaryOp<"log1p", FullPrecision> {
  let summary = "Logarithm of 1 + x, accurate near 0";
  let lists = ["autocast=full", "propagate=infer"];
  let singular = [0];
  let saves = ["0"];
  let scalar = [{ return b.log1p(x[0]); }];
  let adjoint = [{ return {::ampc::unlessZero(b, g, b.div(g, b.add(b.real(1.0, g), getX())))}; }];
}
def Train_ErfOp : Train_RealUnaryOp<"erf", FullPrecision> {
  let summary = "Error function";
  let lists = ["propagate=infer"];
  let range = [{ return Interval{-1, 1}; }];
  let saves = ["0"];
  let scalar = [{ return b.erf(x[0]); }];
  let adjoint =
      [{ return {b.mul(g, b.mul(b.real(M_2_SQRTPI, g), b.exp(b.neg(b.square(getX())))))}; }];
}

// ---- Activations ----
def Train_SigmoidOp : Train_RealUnaryOp<"sigmoid", Passthrough> {
  let summary = "Sigmoid: 1 / (1 + exp(-x))";
  let lists = ["propagate=infer"];
  let range = [{ return Interval{0, 1}; }];
  let saves = ["result"];
  let scalar = [{ return b.sigmoid(x[0]); }];
  let adjoint = [{ Value y = getResult(); return {b.mul(g, b.mul(y, b.sub(b.real(1.0, g), y)))}; }];
}
def Train_LeakyReluOp : Train_RealUnaryOp<"leaky_relu", Passthrough> {
  let summary = "Leaky ReLU: x where positive, else slope * x";
  let lists = ["propagate=infer"];
  let arguments = (ins RealTensor:$x, F64Attr:$slope);
  let assemblyFormat =
      "$x `slope` custom<Slope>($slope) attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = train.leaky_relu %x slope 0.01 : tensor<4x8xf32>";
  let saves = ["0"];
  let scalar = [{
    Value zero = b.real(0.0), scaled = b.mul(b.real(getSlope().convertToDouble()), x[0]);
    return b.select(b.greater(x[0], zero), x[0], scaled); }];
  let adjoint = [{
    Value scaled = b.mul(b.real(getSlope().convertToDouble(), g), g);
    return {b.select(b.greater(getX(), b.real(0.0, g)), g, scaled)}; }];
}
def Train_ClampOp : Train_RealUnaryOp<"clamp", Passthrough> {
  let summary = "Clamp: min(max(x, low), high)";
  let lists = ["propagate=clear"];
  let range = [{ return Interval{getLow().convertToDouble(), getHigh().convertToDouble()}; }];
  let arguments = (ins RealTensor:$x, F64Attr:$low, F64Attr:$high);
  let assemblyFormat =
      "$x `from` custom<Low>($low) `to` custom<High>($high) attr-dict custom<Types>(ref($x), type($x))";
  let example = "%y = train.clamp %x from 0.0 to 6.0 : tensor<4x8xf32>";
  let doc =
      "The cotangent passes where low < x < high: at a bound the derivative is 0, as for `relu` at "
      "0, and as in PyTorch 2.15.";
  let saves = ["0"];
  let scalar = [{
    return b.min(b.max(x[0], b.real(getLow().convertToDouble())), b.real(getHigh().convertToDouble())); }];
  let adjoint = [{
    Value zero = b.real(0.0, g), low = b.real(getLow().convertToDouble(), g), high = b.real(getHigh().convertToDouble(), g);
    Value below = b.select(b.greater(high, getX()), g, zero);
    return {b.select(b.greater(getX(), low), below, zero)}; }];
  let hasVerifier = 1;
}
def Train_GeluOp : Train_RealUnaryOp<"gelu", Passthrough> {
  let summary = "GELU: x Phi(x), with the distribution function of the normal distribution "
                "(Hendrycks and Gimpel 2016)";
  let range = [{ return ::ampc::rectified(x(0), -0.2785); }];
  let saves = ["0"];
  let scalar = [{
    Value phi = b.add(b.real(1.0), b.erf(b.mul(x[0], b.real(M_SQRT1_2))));
    return b.mul(b.mul(b.real(0.5), x[0]), phi); }];
}
def Train_GeluTanhOp : Train_RealUnaryOp<"gelu_tanh", Passthrough> {
  let summary = "GELU with Phi(x) approximated by (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) / 2";
  let doc =
      "Computed as x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)), the same function: nothing cancels "
      "where x is negative.";
  let range = [{ return ::ampc::rectified(x(0), -0.2785); }];
  let saves = ["0"];
  let scalar = [{
    constexpr double twice = 2 * M_2_SQRTPI * M_SQRT1_2;
    Value square = b.mul(x[0], x[0]);
    Value z = b.mul(x[0], b.add(b.real(twice), b.mul(b.real(twice * 0.044715), square)));
    return b.mul(x[0], b.sigmoid(z)); }];
}
def Train_SiluOp : Train_RealUnaryOp<"silu", Passthrough> {
  let summary = "SiLU: x sigmoid(x)";
  // The minimum of x sigmoid(x).
  let range = [{ return ::ampc::rectified(x(0), -0.2785); }];
  let saves = ["0"];
  let scalar = [{ return b.mul(x[0], b.sigmoid(x[0])); }];
}
def Train_SoftplusOp : Train_RealUnaryOp<"softplus", FullPrecision> {
  let summary = "Softplus: log(1 + exp(x)), without overflow";
  let lists = ["mincut-bf16=normalize", "autocast=full", "propagate=infer"];
  let saves = ["0"];
  let scalar = [{ return b.softplus(x[0]); }];
  let adjoint = [{ return {b.mul(g, b.op<SigmoidOp>(getX()))}; }];
}

// ---- The larger and the smaller of two ----
class Train_ExtremumOp<string mnemonic, string order>
    : Train_BinaryOp<mnemonic, Promote, [Commutative]> {
  let doc =
      "Where the operands are equal, each gets half of the cotangent. Of truth values, false is "
      "less than true.";
  let saves = ["0", "1"];
  let adjoint = "return ::ampc::extremumAdjoints(b, g, "#order#");";
}
def Train_MaximumOp : Train_ExtremumOp<"maximum", "getLhs(), getRhs()"> {
  let summary = "Maximum of the operands";
  let lists = ["propagate=clear"];
  let range = [{ return ::ampc::larger(x(0), x(1)); }];
  let scalar = [{ return b.max(x[0], x[1]); }];
}
def Train_MinimumOp : Train_ExtremumOp<"minimum", "getRhs(), getLhs()"> {
  let summary = "Minimum of the operands";
  let lists = ["propagate=clear"];
  let range = [{ return ::ampc::smaller(x(0), x(1)); }];
  let scalar = [{ return b.min(x[0], x[1]); }];
}
#endif
