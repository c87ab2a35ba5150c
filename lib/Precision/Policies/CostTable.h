// What a program would cost under each policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICIES_COSTTABLE_H
#define LIB_PRECISION_POLICIES_COSTTABLE_H

#include "ampc/Precision/Policy.h"
#include "lib/Precision/PrecisionFacts.h"

namespace ampc {
/// The policy whose compute types all are compared under.
const PrecisionPolicy &cheapestPolicy();
/// Names of policies, and bytes moved under the compute types of `facts`; as they are registered.
llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> costsOf(const PrecisionFacts &facts);
/// The cost of a cut that may round everything. What the cut leaves in f32 for the sake of its
/// error is the difference.
int64_t costOfAnyError(const PrecisionFacts &facts);
} // namespace ampc
#endif
