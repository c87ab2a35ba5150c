// Built-in policies. Other files see a policy by name, as `PrecisionPolicy`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICIES_POLICIES_H
#define LIB_PRECISION_POLICIES_POLICIES_H

#include "ampc/Precision/Policy.h"

namespace ampc {
std::unique_ptr<PrecisionPolicy> createMinCutPolicy();
std::unique_ptr<PrecisionPolicy> createAutocastPolicy();
std::unique_ptr<PrecisionPolicy> createAutocastCPUPolicy();
std::unique_ptr<PrecisionPolicy> createPropagatePolicy();
std::unique_ptr<PrecisionPolicy> createNarrowPolicy();
} // namespace ampc
#endif
