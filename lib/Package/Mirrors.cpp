// Numbers that compiler and runtime share are the same.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Runtime/Model.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir-dialects/Train/Train.h"

using namespace ampc;

#define AMPC_SAME(compiler, runtime)                                                               \
  static_assert(int32_t(compiler) == int32_t(runtime), #compiler " is not " #runtime)

AMPC_SAME(kernel::Space::state, AMPC_SPACE_STATE);
AMPC_SAME(kernel::Space::arena, AMPC_SPACE_ARENA);
AMPC_SAME(kernel::Space::input, AMPC_SPACE_INPUT);
AMPC_SAME(kernel::Space::output, AMPC_SPACE_OUTPUT);
AMPC_SAME(kernel::Space::constant, AMPC_SPACE_CONSTANT);
AMPC_SAME(kernel::Space::control, AMPC_SPACE_CONTROL);
static_assert(kernel::getMaxEnumValForSpace() == AMPC_SPACE_CONTROL, "a space is missing");

AMPC_SAME(train::NonFinite::allow, AMPC_NONFINITE_ALLOW);
AMPC_SAME(train::NonFinite::skip, AMPC_NONFINITE_SKIP);
AMPC_SAME(train::NonFinite::fail, AMPC_NONFINITE_FAIL);
static_assert(train::getMaxEnumValForNonFinite() == AMPC_NONFINITE_FAIL, "a mode is missing");

AMPC_SAME(Initializer::Constant, AMPC_INIT_CONSTANT);
AMPC_SAME(Initializer::Uniform, AMPC_INIT_UNIFORM);
AMPC_SAME(Initializer::Normal, AMPC_INIT_NORMAL);
AMPC_SAME(Initializer::TruncatedNormal, AMPC_INIT_TRUNCATED_NORMAL);
