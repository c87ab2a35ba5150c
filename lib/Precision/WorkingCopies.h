// Parameters that programs read in 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_WORKINGCOPIES_H
#define LIB_PRECISION_WORKINGCOPIES_H

#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
/// Parameters that programs read in a 16-bit type.
using WorkingCopies = llvm::SetVector<std::pair<mlir::StringAttr, mlir::Type>>;
std::string workingSlot(llvm::StringRef param, mlir::Type type);
/// Makes programs that write parameters write their working copies too, and declares and derives
/// those. Without master weights a parameter holds no more than its copy.
void addWorkingCopies(train::ModelOp model, const WorkingCopies &copies, bool masterWeights);
} // namespace ampc
#endif
