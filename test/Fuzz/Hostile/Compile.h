// The compiler's phases without their messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_HOSTILE_COMPILE_H
#define TEST_FUZZ_HOSTILE_COMPILE_H

#include "ampc/Pipelines/Compiler.h"
#include "test/Fuzz/Hostile/MemoryFile.h"

namespace ampc {
extern const unsigned char smallModel[];
extern const size_t smallModelSize;
} // namespace ampc

/// Runs the phases up to `last` on a model's text; true if accepted. Messages are formatted, and
/// dropped. `inspect` sees the module after every phase.
inline bool
compileQuietly(llvm::StringRef text, const ampc::CompileOptions &options,
               llvm::StringRef last = "precision",
               std::function<void(llvm::StringRef phase, mlir::ModuleOp module)> inspect = {}) {
  MemoryFile file(text.data(), text.size());
  ampc::Compiler compiler;
  compiler.getContext().disableMultithreading();
  bool reported = false;
  mlir::ScopedDiagnosticHandler quiet(&compiler.getContext(), [&](mlir::Diagnostic &diagnostic) {
    reported |= diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error;
    return mlir::success(!diagnostic.str().empty());
  });
  ampc::CompileRequest request;
  request.input = file.path();
  request.options = options;
  request.stopAfter = last.str();
  request.inspect = std::move(inspect);
  bool accepted(compiler.run(request));
  if (accepted && reported)
    std::abort();
  return accepted;
}

/// The model that policies and profiles are tried on: Corpus/model/small.mlir.
inline llvm::StringRef smallModelText() {
  return {reinterpret_cast<const char *>(ampc::smallModel), ampc::smallModelSize};
}

#endif
