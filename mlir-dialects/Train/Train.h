// The train dialect: what is learned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TRAIN_H
#define MLIR_DIALECTS_TRAIN_TRAIN_H

#include "mlir-dialects/Train/Broadcast.h"
#include "mlir-dialects/Train/GradBuilder.h"
#include "mlir-dialects/Train/Interval.h"
#include "mlir-dialects/Train/ScalarBuilder.h"
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
/// How the precision of an op follows from that of its operands.
enum class Category {
  LowPrecision,  ///< contractions: 16-bit operands, f32 accumulator
  FullPrecision, ///< losses, exponentials, statistics: f32
  Promote,       ///< the widest of the operands
  Passthrough,   ///< moves data, or computes one element from one
};

/// What a relative error of an operand does to an op's result.
enum class Conditioning {
  Bounded,  ///< about the same error
  Cancels,  ///< a larger one where operands nearly cancel
  Singular, ///< near some number the result or its derivative grows without bound
};

/// What an adjoint may use: operand numbers and "result", separated by blanks.
struct Saves {
  llvm::StringRef list;
  bool operand(unsigned index) const;
  bool result() const { return list.contains("result"); }
};

/// Lists of policies that an op is on: "POLICY=LIST", separated by blanks.
struct Lists {
  llvm::StringRef text;
  /// Empty if it is on none of the policy's.
  llvm::StringRef find(llvm::StringRef policy) const;
};

/// See Interfaces.td.
template <typename Op> class MovesOnly : public mlir::OpTrait::TraitBase<Op, MovesOnly> {};
template <typename Op> class GivesElements : public mlir::OpTrait::TraitBase<Op, GivesElements> {};
template <typename Op> class SumsOperands : public mlir::OpTrait::TraitBase<Op, SumsOperands> {};
template <typename Op> class MadeByPasses : public mlir::OpTrait::TraitBase<Op, MadeByPasses> {};

/// What users call a kind of op, in the tables of policies: `matmul`, and `toy.scale` for another
/// dialect's.
llvm::StringRef shortName(mlir::OperationName name);
/// The kind of op of that name; nothing if no loaded dialect has it.
std::optional<mlir::RegisteredOperationName> findOp(llvm::StringRef shortName,
                                                    mlir::MLIRContext *context);

/// One per element of the largest operand or result; none for what only moves data.
int64_t elementwiseFlops(mlir::Operation *op);

/// Memory and kernels are planned for tensors of known size that hold something. Other types pass.
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

/// What an optimizer keeps for a parameter beside its value.
struct Moment {
  llvm::StringRef name;
  llvm::SmallVector<int64_t> shape; ///< broadcasts to the parameter's
};

/// What an optimizer is told beside its own numbers.
struct UpdateSettings {
  mlir::Value momentum; ///< rank 0, of the schedule; null: the rule's own
  mlir::Type products;  ///< to which operands of matrix products are rounded; null: to none
};

/// Which rows of a table an optimizer changes when most rows of its gradient are 0.
enum class RowUpdate {
  Touched, ///< those with a gradient
  Every,   ///< all, each by itself
  Whole,   ///< all, by a rule that looks at the whole tensor
};

// What AlongOpInterface is made of.
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
/// Losses of rows: operands of one type, which look along a dimension.
llvm::LogicalResult inferRowLoss(std::optional<mlir::Location> loc, mlir::TypeRange operands,
                                 mlir::IntegerAttr dim, bool reduced,
                                 llvm::SmallVectorImpl<mlir::Type> &types);
/// tensor<2xi64>: seed and counter.
mlir::RankedTensorType randomStateType(mlir::MLIRContext *context);

// Adjoints that two entries share.
/// g / sqrt(square), and 0 where that is not positive: there the derivative is infinite, or none.
mlir::Value overRoot(GradBuilder &b, mlir::Value g, mlir::Value square);
/// The first operand wins where `larger` is greater than `smaller`, the second where it is less.
llvm::SmallVector<mlir::Value> extremumAdjoints(GradBuilder &b, mlir::Value g, mlir::Value larger,
                                                mlir::Value smaller);
mlir::Value reduceExtremumAdjoint(GradBuilder &b, mlir::Value g, mlir::Value x, mlir::Value result,
                                  llvm::ArrayRef<int64_t> dims);

llvm::SmallVector<int64_t> inversePermutation(llvm::ArrayRef<int64_t> permutation);
mlir::FailureOr<llvm::APFloat> parseReal(mlir::AsmParser &parser);
} // namespace ampc

namespace ampc {
/// Whether arguments and results are what passes rely on.
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
/// Whether a loss returns one scalar. While an op is parsed a default attribute is still null.
inline bool reduces(train::ReductionAttr reduction) {
  return !reduction || reduction.getValue() != train::Reduction::none;
}

/// Whether the op gives elements of its operand as they are, in another order or several times.
inline bool movesOnly(mlir::Operation *op) { return op->hasTrait<MovesOnly>(); }

template <typename Op, typename... Args> mlir::Value GradBuilder::op(Args &&...args) {
  auto result = Op::create(builder, loc, std::forward<Args>(args)...);
  stamp(result);
  return result->getResult(0);
}
} // namespace ampc
#endif
