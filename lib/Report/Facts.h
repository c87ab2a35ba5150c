// Small readers shared by the parts of the report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_REPORT_FACTS_H
#define LIB_REPORT_FACTS_H

#include "ampc/Report/Report.h"
#include "mlir/IR/BuiltinTypes.h"

namespace ampc::report {
SourceLocation placeOf(mlir::Location loc);
/// Shape and element type, e.g. "16x8xbf16".
std::string typeText(mlir::Type type);
std::string elementText(mlir::Type type);
llvm::StringRef partName(StepStage part);
} // namespace ampc::report
#endif
