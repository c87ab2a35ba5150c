// The ways of compiling and running one model that have to give the same bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_CHECKS_H
#define TEST_FUZZ_CHECKS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

namespace ampc::fuzz {
enum class Verdict { Good, Refused, Wrong };

/// What to do with one model.
struct CheckRequest {
  uint64_t seed = 1;
  std::string only;   ///< name of a check; empty: all
  std::string folder; ///< for what the oracle reads; empty: nothing is written
  /// A fault, to see that it is found: "bit" of a result, "sign" of a difference in the f64 code,
  /// "target", a result of plain loops, or "written", one of the text with a module.
  std::string plantFault;
};

/// Says on standard output what is wrong. The same for the same text and request.
Verdict checkModel(llvm::StringRef text, const CheckRequest &request, mlir::MLIRContext *context);
} // namespace ampc::fuzz
#endif
