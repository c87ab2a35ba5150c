// Planted faults of the compiler, to test that the checks find them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_PLANTEDFAULTS_H
#define TEST_FUZZ_PLANTEDFAULTS_H

#include "test/Fuzz/Trial.h"

namespace ampc::fuzz {
// ---- Faults of loops ----
/// Names of the faults: loop-carry, loop-reverse, loop-key, loop-sum.
bool isLoopFault(llvm::StringRef fault);
/// Plants the fault in the loops of a model whose steps have been differentiated:
/// loop-carry: a kept carried value is that of the next round; loop-reverse: rows of a reversed
/// loop are those of the row behind; loop-key: all rounds draw the same random numbers; loop-sum: a
/// carried sum starts from 0. Returns false if no loop has a place for it.
bool plantLoopFault(mlir::ModuleOp module, llvm::StringRef fault);

// ---- Faults of knobs, and of buffers with a row per row of the batch ----
/// Names of the faults: knob-first, knob-rate, row-write.
bool isStateFault(llvm::StringRef fault);
/// Plants the fault in the source of a model. knob-first: functions read the first values of
/// knobs; knob-rate: the learning rate of the last group with a knob is a number; row-write: steps
/// do not write buffers per row of the batch. Returns false if the model has no place for the
/// fault.
bool plantStateFault(mlir::ModuleOp module, llvm::StringRef fault);

// ---- All faults of a compilation ----

/// Compiles a model with a fault in the phase where the fault belongs: state faults in the model,
/// loop faults behind autodiff, and `sign`, which makes the last difference of the kernels a sum.
/// Null if the model has no place for the fault.
mlir::OwningOpRef<mlir::ModuleOp> compileWithFault(llvm::StringRef text, llvm::StringRef fault,
                                                   const CompileOptions &options,
                                                   mlir::MLIRContext *context);
} // namespace ampc::fuzz
#endif
