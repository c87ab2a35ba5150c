// Results that the treatment `narrow` stores in 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_ANALYSIS_NARROWTENSORS_H
#define LIB_PRECISION_ANALYSIS_NARROWTENSORS_H

#include "lib/Precision/Analysis/IllConditionedValues.h"
#include "lib/Precision/Analysis/UnroundedIntermediates.h"

namespace ampc {
/// Adds a constraint for every op with that treatment: the 16-bit type, or f32 where a result is an
/// intermediate inside an op of the model rather than a tensor of the model; such a result then
/// counts as a partial result.
///
/// Apex's O3 has f16 tensors between ops. Inside an op the kernels count, add up and normalize in
/// f32 there as well: a batch norm over 65536 pixels must not round the pixel count, which f16 does
/// not hold.
void constrainNarrowTensors(const DecidedProgram &program, mlir::Type low,
                            const SourceGroups &groups, const Treatments &treatments,
                            const DuplicableValues &duplicable,
                            const IllConditionedValues &illConditioned,
                            UserConstraints &constraints, UnroundedIntermediates &partial);
} // namespace ampc
#endif
