// What users read of diagnostics: MLIR's own in the words of a model's author.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PIPELINES_MESSAGES_H
#define AMPC_PIPELINES_MESSAGES_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"
#include <optional>
#include <string>

namespace ampc {
/// Another text for a diagnostic; nothing: its own is good. `sources`: with the model's text.
std::optional<std::string> clearerText(mlir::Diagnostic &diagnostic, llvm::SourceMgr &sources);
/// The diagnostic with that text, and with its notes.
std::optional<mlir::Diagnostic> clearer(mlir::Diagnostic &diagnostic, llvm::SourceMgr &sources);
/// Whether it repeats what the error before it says, with names of the compiler's C++.
bool isEcho(mlir::Diagnostic &diagnostic);
/// A line of a file; nothing if it is about the whole file, which has line 0.
mlir::FileLineColLoc lineOf(mlir::Location location);
} // namespace ampc
#endif
