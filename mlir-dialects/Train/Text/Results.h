// Types of results that follow from operands where the op's interfaces do not say so.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TEXT_RESULTS_H
#define MLIR_DIALECTS_TRAIN_TEXT_RESULTS_H

#include "mlir-dialects/Train/Text/ParseScope.h"
#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Result type of a product, in the accumulator's type: [2, 3] x [3, 4] -> [2, 4]. Not inferred by
/// MLIR, because a text may write another type; null if the operands do not match.
mlir::Type productType(train::MatmulOp::Adaptor op);
mlir::Type convolutionType(train::Conv2dOp::Adaptor op);
/// Result type of attention: the query's shape with the width of the values.
mlir::Type attentionType(mlir::Type query, mlir::Type value);

/// Sets result types inferred from operands and attributes. Types known only from text are kept.
/// Errors are emitted at the op.
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
