// Constants as text: numbers and formulas in place of operands and of MLIR's `dense<...>`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TEXT_CONSTANTS_H
#define MLIR_DIALECTS_TRAIN_TEXT_CONSTANTS_H

#include "mlir-dialects/Train/Text/ParseState.h"

namespace ampc {
/// Tensor of a type with the values of formulas, one for all elements or one per element, separated
/// by commas. Every value is rounded once to the element type; a value beyond the type, a real
/// number other than 0 that would become 0, and a fraction in an integer type are errors, with the
/// reason in `why`.
mlir::FailureOr<mlir::DenseElementsAttr> constantOf(mlir::RankedTensorType type,
                                                    llvm::StringRef formulas, const Sizes &sizes,
                                                    std::string &why);

/// Replaces operands of an op that was just parsed by scalar constants, which are appended to the
/// block of the other operand.
mlir::ParseResult addScalars(mlir::OpAsmParser &parser, llvm::ArrayRef<ScalarOperand> scalars,
                             mlir::OperationState &state);
} // namespace ampc
#endif
