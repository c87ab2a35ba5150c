// Storage types that move the fewest bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICIES_MINCUT_H
#define LIB_PRECISION_POLICIES_MINCUT_H

#include "lib/Precision/Policies/HardConstraints.h"

namespace ampc {
/// Assignment with the fewest moved bytes under the hard constraints `hardConstraints`.
Assignment assignMinCut(const PrecisionAnalysis &facts, const HardConstraints &hardConstraints);
} // namespace ampc
#endif
