// The builder that op entries write their scalar code with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_BUILD_SCALARBUILDER_H
#define MLIR_DIALECTS_TRAIN_BUILD_SCALARBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace ampc {
using mlir::Value;
namespace train {
enum class ComparePredicate : uint32_t;
}

class ScalarBuilder;

/// Ops of scalar code that depend on the position in the iteration domain, or on the whole row. The
/// dialect that the code is built for supplies them: see mlir-dialects/Kernel/PositionOps.h.
class PositionOps {
public:
  enum class Reduction { Max, Min, Sum };
  virtual ~PositionOps() = default;
  virtual Value reduceRow(ScalarBuilder &b, Reduction kind, Value a) const = 0;
  virtual Value rowIndex(ScalarBuilder &b) const = 0;
  virtual Value linearIndex(ScalarBuilder &b) const = 0;
};

/// Builds the scalar code of an op, from arith and math ops on scalars. Literals take the type
/// `compute`. Float bodies compute in at least f32; operands arrive widened, results are rounded at
/// the yield. Nothing here knows the shape; integers and floats share the arithmetic methods.
class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type compute,
                const PositionOps &positions)
      : builder(builder), loc(loc), compute(compute), positions(positions) {}
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type compute;
  const PositionOps &positions;

  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  /// Quotient. For integers: x / 0 = 0, and the smallest integer / -1 = the smallest integer.
  Value div(Value a, Value b);
  Value neg(Value a);
  Value max(Value a, Value b);
  Value min(Value a, Value b);
  Value exp(Value a);
  Value log(Value a);
  Value log1p(Value a);
  Value sin(Value a);
  Value cos(Value a);
  Value erf(Value a);
  Value tanh(Value a);
  Value sqrt(Value a);
  Value rsqrt(Value a);
  Value pow(Value a, Value b);
  Value abs(Value a);
  Value floor(Value a);
  Value ceil(Value a);
  /// Rounds to the nearest integer, ties to even: 2.5 -> 2.
  Value roundEven(Value a);
  Value withSign(Value magnitude, Value sign);
  /// Sign as -1, 0 or 1, of reals and integers.
  Value sign(Value a);
  /// Remainder of the quotient rounded towards 0 (fmod), or rounded down (mod): fmod(-1, 3) = -1,
  /// mod(-1, 3) = 2.
  Value fmod(Value a, Value b);
  Value mod(Value a, Value b);
  // Functions composed of other functions, so that all targets compute equal results: within a few
  // units in the last place, in f32 and in f64.
  Value expm1(Value a);
  Value sinh(Value a);
  Value cosh(Value a);
  Value asinh(Value a);
  Value acosh(Value a);
  Value atanh(Value a);
  Value asin(Value a);
  Value acos(Value a);
  Value atan(Value a);
  Value erfinv(Value a);
  /// c[0] + c[1] a + c[2] a^2 + ...
  Value polynomial(Value a, llvm::ArrayRef<double> c);
  /// 1 / (1 + exp(-a))
  Value sigmoid(Value a);
  /// log(1 + exp(a)) as max(a, 0) + log1p(exp(-|a|))
  Value softplus(Value a);
  Value select(Value condition, Value a, Value b);
  Value compare(train::ComparePredicate predicate, Value a, Value b);
  Value greater(Value a, Value b);
  Value equal(Value a, Value b);
  Value real(double value);
  Value integer(int64_t value, mlir::Type type);
  Value castTo(Value a, mlir::Type type, bool isUnsigned = false);
  // Reductions along the last dimension; an op whose scalar code has one is a ReducesRow.
  Value rowMax(Value a) { return positions.reduceRow(*this, PositionOps::Reduction::Max, a); }
  Value rowMin(Value a) { return positions.reduceRow(*this, PositionOps::Reduction::Min, a); }
  Value rowSum(Value a) { return positions.reduceRow(*this, PositionOps::Reduction::Sum, a); }
  /// Position in the last dimension, as i32.
  Value rowIndex() { return positions.rowIndex(*this); }
  /// Row-major number of the element in the iteration space, as i32 (spaces stay below 2^31
  /// elements).
  Value linearIndex() { return positions.linearIndex(*this); }
  /// Size of the last dimension.
  int64_t rowLength = 0;
};
} // namespace ampc
#endif
