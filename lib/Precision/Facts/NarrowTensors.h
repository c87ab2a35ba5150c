// Which results the treatment `narrow` stores in 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_FACTS_NARROWTENSORS_H
#define LIB_PRECISION_FACTS_NARROWTENSORS_H

#include "lib/Precision/Facts/MagnifiedValues.h"
#include "lib/Precision/Facts/PartialResults.h"

namespace ampc {
/// Adds a demand per op with that treatment: its type, or f32 where a result is a number inside
/// some op of the model rather than one of its tensors, which then is a partial result.
///
/// Apex's O3 has f16 tensors between ops. Inside them kernels count, add up and normalize in f32
/// there as well: a batch norm over 65536 pixels must not round their number, which f16 does not
/// hold.
void demandNarrowTensors(const DecidedProgram &program, mlir::Type low, const SourceGroups &groups,
                         const Treatments &treatments, const StorageFreeValues &storageFree,
                         const MagnifiedValues &magnified, Demands &demands,
                         PartialResults &partial);
} // namespace ampc
#endif
