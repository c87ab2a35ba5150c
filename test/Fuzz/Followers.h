// Followers, added to a random model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_FOLLOWERS_H
#define TEST_FUZZ_FOLLOWERS_H

#include "mlir/IR/BuiltinOps.h"
#include "test/Fuzz/Random.h"

namespace ampc::fuzz {
/// Adds averages and copies of parameters, which the losses read together with their source.
void addFollowers(mlir::ModuleOp module, Random &random);
} // namespace ampc::fuzz
#endif
