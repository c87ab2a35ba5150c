// Knobs, added to a random model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_KNOBS_H
#define TEST_FUZZ_KNOBS_H

#include "mlir/IR/BuiltinOps.h"
#include "test/Fuzz/Random.h"

namespace ampc::fuzz {
/// Adds knobs as operands of values anywhere in functions, as numbers of steps and their rules, as
/// drop rates, and in derivatives; some knobs have a schedule. A step may get a second group.
void addKnobs(mlir::ModuleOp module, Random &random);
} // namespace ampc::fuzz
#endif
