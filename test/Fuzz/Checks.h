// Ways of compiling and running a model that must give equal bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_CHECKS_H
#define TEST_FUZZ_CHECKS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

namespace ampc::fuzz {
enum class Verdict { Good, Refused, Wrong };

/// Checks requested for a model.
struct CheckRequest {
  uint64_t seed = 1;
  std::string only;   ///< name of a check; empty: all
  std::string folder; ///< output for the oracle; empty: none
  /// Planted fault, to test that the checks find the fault. "bit": of a result; "sign": of a
  /// difference in the f64 code; "target": a result of plain loops; "written": a result of the text
  /// with a module; faults of PlantedFaults.h.
  std::string plantFault;
};

/// Prints errors to standard output. Deterministic for text and request.
Verdict checkModel(llvm::StringRef text, const CheckRequest &request, mlir::MLIRContext *context);
} // namespace ampc::fuzz
#endif
