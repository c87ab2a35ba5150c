// Conversion of loops to calls of parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_TRAINTOKERNEL_LOOPS_H
#define LIB_CONVERSION_TRAINTOKERNEL_LOOPS_H

#include "lib/Conversion/TrainToKernel/Converter.h"
#include "mlir-dialects/Train/Ops/Loops.h"

namespace ampc {
/// Converts the ops of a block but for the end, at the converter's insertion point. The conversion
/// continues after an op without a kernel, so that a single run reports all such ops. `special`
/// returns nothing for an op that is converted by the rules.
llvm::LogicalResult
convertOps(mlir::Block &ops, ConversionRules &rules, Converter &converter,
           llvm::function_ref<std::optional<llvm::LogicalResult>(mlir::Operation *)> special = {});

/// Converts a loop to `kernel.call ... times n carried c`, and the loop's block to the called part,
/// `fit.train.loop`. Rows and the round's number are operands that move by a slice per run; values
/// from outside are operands that every run reads whole.
llvm::LogicalResult convertLoop(train::ScanOp scan, ConversionRules &rules, Converter &converter);
} // namespace ampc
#endif
