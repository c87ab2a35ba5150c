// f32 constraints for ops whose numbers are known not to fit 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_RANGECONSTRAINTS_H
#define LIB_PRECISION_ANALYSIS_RANGECONSTRAINTS_H

#include "lib/Precision/Analysis/UserConstraints.h"

namespace ampc {
using LocatedWarning = std::pair<mlir::Location, std::string>;
/// Adds the constraints. Returns a warning for every op that the user fixed to a type too narrow
/// for the op's constants, e.g. 1e-12 in f16.
std::vector<LocatedWarning> constrainRanges(const DecidedProgram &program,
                                            UserConstraints &constraints);
} // namespace ampc
#endif
