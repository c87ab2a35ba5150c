// Comparison of policies by the bytes that a program moves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_POLICIES_COSTTABLE_H
#define LIB_PRECISION_POLICIES_COSTTABLE_H

#include "ampc/Precision/Policy.h"
#include "lib/Precision/PrecisionAnalysis.h"

namespace ampc {
/// Policy whose compute types are the basis of the comparison.
const PrecisionPolicy &cheapestPolicy();
/// Name of each compared policy and the bytes moved under the compute types of `facts`, in the
/// order of registration. Example: {"mincut", 81920}, {"autocast", 98304}.
llvm::SmallVector<std::pair<llvm::StringRef, int64_t>> costsOf(const PrecisionAnalysis &facts);
/// Bytes of a cut that may round everything. The difference to the policy's own cut is the price of
/// bounding the error.
int64_t costOfAnyError(const PrecisionAnalysis &facts);
} // namespace ampc
#endif
