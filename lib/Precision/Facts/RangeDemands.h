// Ops that compute in f32 because 16 bits are known not to hold their numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_FACTS_RANGEDEMANDS_H
#define LIB_PRECISION_FACTS_RANGEDEMANDS_H

#include "lib/Precision/Facts/Demands.h"

namespace ampc {
using LocatedWarning = std::pair<mlir::Location, std::string>;
/// Adds their demands. What the user fixed to a type that cannot hold it gives a warning.
std::vector<LocatedWarning> demandRanges(const DecidedProgram &program, Demands &demands);
} // namespace ampc
#endif
