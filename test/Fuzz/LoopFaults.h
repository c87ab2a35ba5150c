// Faults of loops, to test that the checks find them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_LOOPFAULTS_H
#define TEST_FUZZ_LOOPFAULTS_H

#include "mlir/IR/BuiltinOps.h"

namespace ampc::fuzz {
/// Names of the faults: loop-carry, loop-reverse, loop-key, loop-sum.
bool isLoopFault(llvm::StringRef fault);
/// Plants the fault in the loops of a model whose steps have been differentiated:
/// loop-carry: a kept carried value is that of the next round; loop-reverse: rows of a reversed
/// loop are those of the row behind; loop-key: all rounds draw the same random numbers; loop-sum: a
/// carried sum starts from 0. Returns false if no loop has a place for it.
bool plantLoopFault(mlir::ModuleOp module, llvm::StringRef fault);
} // namespace ampc::fuzz
#endif
