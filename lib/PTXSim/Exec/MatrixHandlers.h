// Declarations of matrix handlers shared between files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PTXSIM_EXEC_MATRIXHANDLERS_H
#define PTXSIM_EXEC_MATRIXHANDLERS_H

#include "lib/PTXSim/Exec/Isa.h"

namespace ptxsim {
namespace PTXSIM_NS {
Handler selectMma(const Inst &inst);
} // namespace PTXSIM_NS
} // namespace ptxsim
#endif
