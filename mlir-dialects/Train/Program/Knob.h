// Knobs: numbers of the state that callers change between calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_KNOB_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_KNOB_H

#include "mlir-dialects/Train/Text/ParseScope.h"
#include "mlir-dialects/Train/Train.h"

#define GET_OP_CLASSES
#include "mlir-dialects/Train/KnobOps.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerKnobOps(mlir::DialectRegistry &registry);

/// Least and greatest value, rounded to the type of the knob.
std::vector<double> rangeOf(train::KnobOp knob);

/// Name under which a scope of the text has the value of a knob in place of a number: @t, beside t
/// for `%t`. A local value `%t` hides the latter only.
inline std::string operandNameOf(llvm::StringRef knob) { return ("@" + knob).str(); }

template <>
mlir::ParseResult completeOp<train::KnobOp>(mlir::OpAsmParser &, mlir::OperationState &);
} // namespace ampc
#endif
