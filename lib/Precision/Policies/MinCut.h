// Storage types that move the fewest bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICIES_MINCUT_H
#define LIB_PRECISION_POLICIES_MINCUT_H

#include "lib/Precision/Policies/Pins.h"

namespace ampc {
/// Assignment with the fewest moved bytes under the hard constraints `pins`.
Assignment assignMinCut(const PrecisionFacts &facts, const Pins &pins);
} // namespace ampc
#endif
