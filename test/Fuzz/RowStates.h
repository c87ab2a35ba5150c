// Buffers with a row per row of the batch, added to a random model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_ROWSTATES_H
#define TEST_FUZZ_ROWSTATES_H

#include "mlir/IR/BuiltinOps.h"
#include "test/Fuzz/Random.h"

namespace ampc::fuzz {
/// Adds recurrences from batch to batch: a cell, an LSTM, a loop, a running average of a value of
/// the model, or a count, each with buffers that a step reads and writes. Losses get a term of the
/// new states, some exports a result.
void addRowStates(mlir::ModuleOp module, Random &random);
} // namespace ampc::fuzz
#endif
