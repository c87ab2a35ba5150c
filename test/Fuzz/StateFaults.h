// Faults of knobs and of buffers per row of the batch, tests of the oracle.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_STATEFAULTS_H
#define TEST_FUZZ_STATEFAULTS_H

#include "mlir/IR/BuiltinOps.h"

namespace ampc::fuzz {
/// Names of the faults: knob-first, knob-rate, row-write.
bool isStateFault(llvm::StringRef fault);
/// Plants the fault in the source of a model. knob-first: functions read the first values of
/// knobs; knob-rate: the learning rate of the last group with a knob is a number; row-write: steps
/// do not write buffers per row of the batch. Returns false if the model has no place for the
/// fault.
bool plantStateFault(mlir::ModuleOp module, llvm::StringRef fault);
} // namespace ampc::fuzz
#endif
