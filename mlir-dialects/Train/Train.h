// The train dialect: models, state, functions, training steps and tensor ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TRAIN_H
#define MLIR_DIALECTS_TRAIN_TRAIN_H

#include "mlir-dialects/Train/Build/GradBuilder.h"
#include "mlir-dialects/Train/Build/ScalarBuilder.h"
#include "mlir-dialects/Train/Interval.h"
#include "mlir-dialects/Train/Ops/Broadcast.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <limits>

namespace ampc {
/// Precision category: rule for the compute type of an op, given the operand types.
enum class Category {
  LowPrecision,  ///< contractions: 16-bit operands, f32 accumulator
  FullPrecision, ///< losses, exponentials, statistics: f32
  Promote,       ///< the widest of the operands
  Passthrough,   ///< moves data, or computes each element from one element
};

/// Conditioning of an op: effect of an operand's relative error on the result.
enum class Conditioning {
  Bounded,  ///< about the same error
  Cancels,  ///< larger error where operands nearly cancel
  Singular, ///< result or derivative unbounded near some number
};

/// Values available to an adjoint: operand numbers and "result", separated by blanks. Example: "0
/// result".
struct Saves {
  llvm::StringRef list;
  bool operand(unsigned index) const;
  bool result() const { return list.contains("result"); }
};

/// Lists of policies that an op is on: "POLICY=LIST", separated by blanks.
struct Lists {
  llvm::StringRef text;
  /// List of the policy that contains the op; empty if none does.
  llvm::StringRef find(llvm::StringRef policy) const;
};

/// See Interfaces.td.
template <typename Op> class MovesOnly : public mlir::OpTrait::TraitBase<Op, MovesOnly> {};
template <typename Op> class GivesElements : public mlir::OpTrait::TraitBase<Op, GivesElements> {};
template <typename Op> class SumsOperands : public mlir::OpTrait::TraitBase<Op, SumsOperands> {};
template <typename Op> class MadeByPasses : public mlir::OpTrait::TraitBase<Op, MadeByPasses> {};
/// Trait of ops whose scalar code reduces along the last dimension: softmax, layer_norm.
template <typename Op> class ReducesRow : public mlir::OpTrait::TraitBase<Op, ReducesRow> {};

/// Name of an op kind in tables of policies: `matmul` for train.matmul, and `toy.scale` for another
/// dialect.
llvm::StringRef shortName(mlir::OperationName name);
/// Op kind with a short name; nullopt if no loaded dialect has the op.
std::optional<mlir::RegisteredOperationName> findOp(llvm::StringRef shortName,
                                                    mlir::MLIRContext *context);

/// One FLOP per element of the largest operand or result; 0 for pure data movement.
int64_t elementwiseFlops(mlir::Operation *op);

/// Checks that a tensor has static, nonzero sizes, as memory planning requires. Other types pass.
llvm::LogicalResult verifyTensor(mlir::Operation *op, mlir::Type type);

/// Fan-in and fan-out of weights (Glorot and Bengio 2010): products that an element of the result
/// adds up, and elements of the result that an element of the data goes into. Of a convolution,
/// both times the size of the window, as in torch.nn.init. `x: [B, I], w: [I, O]`: I and O.
struct Fans {
  int64_t in, out;
  /// The value of a fan that a text leaves to the op that reads the weights.
  static constexpr int64_t open = std::numeric_limits<int64_t>::min();
};

/// The first value of a tensor: `kind` with two parameters.
struct Initializer {
  enum Kind { Constant, Uniform, Normal, TruncatedNormal, Data };
  Kind kind;
  double a; ///< the constant, the lower bound, or the mean; unused with Data
  double b; ///< unused, the upper bound, or the standard deviation
};

/// Optimizer state of a parameter. Example: Adam: "m" and "v", both with the parameter's shape.
struct Moment {
  llvm::StringRef name;
  llvm::SmallVector<int64_t> shape; ///< broadcasts to the parameter's
};

/// Inputs of an update rule in addition to the rule's parameters.
struct UpdateSettings {
  /// Values of rank 0, in the type of the rule, in place of numbers of the rule: of knobs or of a
  /// schedule. Example: "weight_decay".
  llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>> numbers;
  mlir::Type products; ///< compute type of matrix products; null: unrounded
};

/// Rows of a table that an optimizer changes if most rows of the gradient are 0.
enum class RowUpdate {
  Touched, ///< rows with a gradient
  Every,   ///< all rows, independently
  Whole,   ///< all rows, by statistics of the whole tensor
};

// Helpers of AlongOpInterface.
/// A dimension by number; -1 is the last.
inline int64_t dimensionAlong(mlir::RankedTensorType type, int64_t dim) {
  return dim == -1 ? type.getRank() - 1 : dim;
}
llvm::LogicalResult verifyAlong(mlir::Operation *op);

// Type inference, with errors at `loc`. Shapes follow numpy.
llvm::LogicalResult inferReduce(std::optional<mlir::Location> loc, mlir::Type x,
                                llvm::ArrayRef<int64_t> dims,
                                llvm::SmallVectorImpl<mlir::Type> &types);
llvm::LogicalResult inferElementLoss(std::optional<mlir::Location> loc, mlir::Type x,
                                     mlir::Type target, bool reduced,
                                     llvm::SmallVectorImpl<mlir::Type> &types);
/// Result type of a loss per row: operands of one type, reduced along a dimension. [8, 10] -> [8],
/// or [] if `reduced`.
llvm::LogicalResult inferRowLoss(std::optional<mlir::Location> loc, mlir::TypeRange operands,
                                 mlir::IntegerAttr dim, bool reduced,
                                 llvm::SmallVectorImpl<mlir::Type> &types);
/// tensor<2xi64>: seed and counter.
mlir::RankedTensorType randomStateType(mlir::MLIRContext *context);

// Adjoints that two entries share.
/// g / sqrt(square), and 0 where that is not positive: there the derivative is infinite, or none.
mlir::Value overRoot(GradBuilder &b, mlir::Value g, mlir::Value square);
/// Adjoints of maximum and minimum: the first operand gets g where `larger` > `smaller`, the second
/// where `larger` < `smaller`.
llvm::SmallVector<mlir::Value> extremumAdjoints(GradBuilder &b, mlir::Value g, mlir::Value larger,
                                                mlir::Value smaller);
mlir::Value reduceExtremumAdjoint(GradBuilder &b, mlir::Value g, mlir::Value x, mlir::Value result,
                                  llvm::ArrayRef<int64_t> dims);

llvm::SmallVector<int64_t> inversePermutation(llvm::ArrayRef<int64_t> permutation);
mlir::FailureOr<llvm::APFloat> parseReal(mlir::AsmParser &parser);
/// Equality of optional parameters, bit by bit.
inline bool isSameNumber(const std::optional<llvm::APFloat> &a,
                         const std::optional<llvm::APFloat> &b) {
  return a && b ? a->bitwiseIsEqual(*b) : a.has_value() == b.has_value();
}
} // namespace ampc

namespace ampc {
/// Checks that the roles of arguments and results are as passes assume.
llvm::LogicalResult verifySignature(mlir::FunctionOpInterface program);
} // namespace ampc

#include "mlir-dialects/Train/TrainEnums.h.inc"
// The ops' interfaces name the attributes' interfaces.
#include "mlir-dialects/Train/InterfacesAttr.h.inc"

#include "mlir-dialects/Train/Interfaces.h.inc"

#include "mlir-dialects/Train/TrainDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "mlir-dialects/Train/TrainAttrs.h.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Train/TrainOps.h.inc"

namespace ampc {
/// Whether a loss returns one scalar. The default attribute is still null while an op is parsed.
inline bool reduces(train::ReductionAttr reduction) {
  return !reduction || reduction.getValue() != train::Reduction::none;
}

/// Whether the op is pure data movement: elements of the operand unchanged, reordered or repeated.
inline bool movesOnly(mlir::Operation *op) { return op->hasTrait<MovesOnly>(); }

template <typename Op, typename... Args> mlir::Value GradBuilder::op(Args &&...args) {
  auto result = Op::create(builder, loc, std::forward<Args>(args)...);
  stamp(result);
  return result->getResult(0);
}
} // namespace ampc
#endif
