// f32 constraints for ops whose numbers are known not to fit 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_FACTS_RANGEDEMANDS_H
#define LIB_PRECISION_FACTS_RANGEDEMANDS_H

#include "lib/Precision/Facts/Demands.h"

namespace ampc {
using LocatedWarning = std::pair<mlir::Location, std::string>;
/// Adds the constraints. Returns a warning for every op that the user fixed to a type too narrow
/// for the op's constants, e.g. 1e-12 in f16.
std::vector<LocatedWarning> demandRanges(const DecidedProgram &program, Demands &demands);
} // namespace ampc
#endif
