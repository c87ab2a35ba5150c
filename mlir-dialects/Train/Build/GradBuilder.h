// The builder that op entries write their adjoints with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_BUILD_GRADBUILDER_H
#define MLIR_DIALECTS_TRAIN_BUILD_GRADBUILDER_H

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
  /// Every op gets the origin (a #train.origin or null), see Origin.h.
  GradBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Attribute origin)
      : builder(builder), loc(loc), origin(origin) {}
  /// Builder at `op`; created ops have the location and origin of `op`.
  GradBuilder(mlir::OpBuilder &builder, mlir::Operation *op);
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Attribute origin;
  /// Compute type that created ops are fixed to, if set; overrides the precision category.
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
  /// Product of the last two dimensions; `accumulator` is the result's element type (null: that of
  /// sums of a's).
  Value matmul(Value a, Value b, bool transposeA, bool transposeB, mlir::Type accumulator = {});
  Value reduceSum(Value a, llvm::ArrayRef<int64_t> dims);
  /// Sum along the last dimension, kept with size 1.
  Value rowSum(Value a);
  /// A value per row as a column: appends a dimension of size 1.
  Value columnOf(Value a);
  /// Sums over broadcast dimensions, so that the result has the shape of `type`: [4, 3] -> [3].
  Value reduceTo(Value a, mlir::Type type);
  /// The shape of `type` with the given dimensions of size 1.
  static mlir::RankedTensorType withOnes(mlir::Type type, llvm::ArrayRef<int64_t> dims);

  /// Sets the origin of an op that was created without `op`.
  void stamp(mlir::Operation *op);
};
} // namespace ampc
#endif
