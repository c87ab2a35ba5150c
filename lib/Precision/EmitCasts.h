// Rewrites a program to the types of an assignment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_EMITCASTS_H
#define LIB_PRECISION_EMITCASTS_H

#include "lib/Precision/PrecisionAnalysis.h"
#include "lib/Precision/WorkingCopies.h"

namespace ampc {
/// Inserts casts into the function. Parameters that are needed in 16 bits become further arguments
/// (working copies) and are added to `copies`.
void emitAssignment(const PrecisionAnalysis &facts, const Assignment &assignment,
                    WorkingCopies &copies);
} // namespace ampc
#endif
