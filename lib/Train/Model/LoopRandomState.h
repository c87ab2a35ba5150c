// Random state of ops in loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_MODEL_LOOPRANDOMSTATE_H
#define LIB_TRAIN_MODEL_LOOPRANDOMSTATE_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Gives random ops inside loops their key and a state of their own per round: {seed, counter + row
/// * step}, with an odd step per depth of nesting. The state is built in the block of the loop from
/// the number of the row, so that the unrolled rounds draw the numbers of the loop.
void attachLoopRandomState(train::FuncOp func, train::ModelOp model);
} // namespace ampc
#endif
