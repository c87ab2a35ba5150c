// Diagnostics for users: MLIR's messages rewritten in the terms of a model's author.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PIPELINES_MESSAGES_H
#define AMPC_PIPELINES_MESSAGES_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/SourceMgr.h"
#include <optional>
#include <string>

namespace ampc {
/// Replacement text for a diagnostic; nothing if the original is clear. `sources` holds the model's
/// text.
std::optional<std::string> clearerText(mlir::Diagnostic &diagnostic, llvm::SourceMgr &sources);
/// Copy of the diagnostic with the replacement text and the original notes.
std::optional<mlir::Diagnostic> clearer(mlir::Diagnostic &diagnostic, llvm::SourceMgr &sources);
/// Whether a diagnostic repeats the preceding error with C++ names of the compiler.
bool isEcho(mlir::Diagnostic &diagnostic);
/// File location of a diagnostic, for example model.mlir:3:7; null without a file, and for line 0,
/// which means the whole file.
mlir::FileLineColLoc lineOf(mlir::Location location);
} // namespace ampc
#endif
