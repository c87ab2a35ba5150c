// Working copies of parameters in 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PRECISION_WORKINGCOPIES_H
#define LIB_PRECISION_WORKINGCOPIES_H

#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/SetVector.h"

namespace ampc {
/// Parameters that programs read in a 16-bit type, with the type. Example: @w with bf16; the copy
/// is the state "w.bf16".
using WorkingCopies = llvm::SetVector<std::pair<mlir::StringAttr, mlir::Type>>;
std::string workingSlot(llvm::StringRef param, mlir::Type type);
/// Declares the copies as state, makes programs that write parameters write the copies as well, and
/// adds the program that derives all copies. Without master weights a parameter holds no more
/// digits than the copy.
void addWorkingCopies(train::ModelOp model, const WorkingCopies &copies, bool masterWeights);
} // namespace ampc
#endif
