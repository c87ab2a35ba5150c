// Types of results that follow from operands where the op's interfaces do not say so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_RESULTS_H
#define MLIR_DIALECTS_TRAIN_RESULTS_H

#include "mlir-dialects/Train/ParseScope.h"
#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// The result in the accumulator's type. A text may write it, so it is not inferred; null if the
/// operands do not fit.
mlir::Type productType(train::MatmulOp::Adaptor op);
mlir::Type convolutionType(train::Conv2dOp::Adaptor op);
/// That of queries as wide as the values.
mlir::Type attentionType(mlir::Type query, mlir::Type value);

/// Gives the results of an op the types that follow from its operands and attributes. Types that
/// nothing but the text told stay. An error stands at the op.
llvm::LogicalResult inferResults(mlir::Operation *op);

template <>
mlir::ParseResult completeOp<train::MatmulOp>(mlir::OpAsmParser &, mlir::OperationState &);
template <>
mlir::ParseResult completeOp<train::Conv2dOp>(mlir::OpAsmParser &, mlir::OperationState &);
template <>
mlir::ParseResult completeOp<train::ParamOp>(mlir::OpAsmParser &, mlir::OperationState &);
template <>
mlir::ParseResult completeOp<train::BufferOp>(mlir::OpAsmParser &, mlir::OperationState &);
template <>
mlir::ParseResult completeOp<train::ModelOp>(mlir::OpAsmParser &, mlir::OperationState &);
} // namespace ampc
#endif
