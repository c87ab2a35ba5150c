// Builders that op entries write their adjoints and scalar code with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TRAINBUILDERS_H
#define MLIR_DIALECTS_TRAIN_TRAINBUILDERS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace ampc {
using mlir::Value;
namespace train {
enum class ComparePredicate : uint32_t;
}

/// Builds tensor code (train ops) for adjoints, optimizers and schedules.
class GradBuilder {
public:
  GradBuilder(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}
  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// If set, every op gets it as the attribute `compute`, which overrides its precision category.
  mlir::Type compute;

  template <typename Op, typename... Args> Value op(Args &&...args);

  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value neg(Value a);
  Value exp(Value a);
  Value sqrt(Value a);
  Value square(Value a);
  Value cos(Value a);
  Value floor(Value a);
  /// i1 tensor; broadcasts.
  Value compare(train::ComparePredicate predicate, Value a, Value b);
  Value greater(Value a, Value b);
  Value select(Value condition, Value a, Value b);
  /// A rank-0 constant of the element type of `like` (or of that element type).
  Value real(double value, Value like);
  Value real(double value, mlir::Type like);
  Value castTo(Value a, mlir::Type element);
  Value reshape(Value a, mlir::Type type);
  Value broadcastTo(Value a, mlir::Type type);
  Value transpose(Value a, llvm::ArrayRef<int64_t> permutation);
  /// Product of the last two dimensions; `accumulator` is the result's element type (null: a's).
  Value matmul(Value a, Value b, bool transposeA, bool transposeB, mlir::Type accumulator = {});
  Value reduceSum(Value a, llvm::ArrayRef<int64_t> dims);
  /// Sum along the last dimension, kept with size 1.
  Value rowSum(Value a);
  /// A value per row as a column: appends a dimension of size 1.
  Value columnOf(Value a);
  /// Sums away what numpy broadcasting added, so that the result has the shape of `type`.
  Value reduceTo(Value a, mlir::Type type);
  /// The shape of `type` with the given dimensions of size 1.
  static mlir::RankedTensorType withOnes(mlir::Type type, llvm::ArrayRef<int64_t> dims);

private:
  void stamp(mlir::Operation *op);
};

/// Builds the scalar code of an op, from arith and math ops on scalars. Literals take the type
/// `compute`. Float bodies compute in at least f32; operands arrive widened, results are rounded at
/// the yield. Nothing here knows the shape; integers and floats share the arithmetic methods.
class ScalarBuilder {
public:
  ScalarBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type compute)
      : builder(builder), loc(loc), compute(compute) {}
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type compute;

  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  /// Of integers: x / 0 is 0, and the smallest integer by -1 is itself.
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
  Value castTo(Value a, mlir::Type type);
  Value rowMax(Value a);
  Value rowMin(Value a);
  Value rowSum(Value a);
  /// Position in the last dimension, as i32.
  Value rowIndex();
  /// Row-major number of the element in the iteration space, as i32 (spaces stay below 2^31
  /// elements).
  Value linearIndex();
  /// Size of the last dimension.
  int64_t rowLength = 0;
};

/// Numpy broadcasting of a tensor type into an iteration space.
mlir::AffineMap broadcastMap(mlir::Type type, llvm::ArrayRef<int64_t> space);
/// All dimensions but the last.
mlir::AffineMap rowMap(unsigned rank, mlir::MLIRContext *context);
} // namespace ampc
#endif
