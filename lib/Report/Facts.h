// Small readers that the parts of the report share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_REPORT_FACTS_H
#define LIB_REPORT_FACTS_H

#include "ampc/Report/Report.h"
#include "mlir/IR/BuiltinTypes.h"

namespace ampc::report {
Place placeOf(mlir::Location loc);
/// Names of the ops that something was made of, in order, each once.
llvm::SmallVector<llvm::StringRef> namesOf(mlir::Location loc);
/// "16x8xbf16"
std::string typeText(mlir::Type type);
std::string elementText(mlir::Type type);
llvm::StringRef partName(Part part);
/// A name without the suffixes that differentiation adds.
llvm::StringRef sourceName(llvm::StringRef name);
} // namespace ampc::report
#endif
