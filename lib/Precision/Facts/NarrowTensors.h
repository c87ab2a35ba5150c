// Results that the treatment `narrow` stores in 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_FACTS_NARROWTENSORS_H
#define LIB_PRECISION_FACTS_NARROWTENSORS_H

#include "lib/Precision/Facts/MagnifiedValues.h"
#include "lib/Precision/Facts/PartialResults.h"

namespace ampc {
/// Adds a constraint for every op with that treatment: the 16-bit type, or f32 where a result is an
/// intermediate inside an op of the model rather than a tensor of the model; such a result then
/// counts as a partial result.
///
/// Apex's O3 has f16 tensors between ops. Inside an op the kernels count, add up and normalize in
/// f32 there as well: a batch norm over 65536 pixels must not round the pixel count, which f16 does
/// not hold.
void demandNarrowTensors(const DecidedProgram &program, mlir::Type low, const SourceGroups &groups,
                         const Treatments &treatments, const StorageFreeValues &storageFree,
                         const MagnifiedValues &magnified, Demands &demands,
                         PartialResults &partial);
} // namespace ampc
#endif
