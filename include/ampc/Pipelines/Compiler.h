// From a file to a module after some phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PIPELINES_COMPILER_H
#define AMPC_PIPELINES_COMPILER_H

#include "ampc/Import/ONNX.h"
#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Support/TaskPool.h"
#include "mlir-dialects/Train/Sizes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"
#include <functional>

namespace ampc {
/// The least diagnostics that the user sees.
enum class Shown { Remarks, Warnings, Errors };

/// What to do with one model file.
struct CompileRequest {
  std::string input;       ///< a path, or "-" for standard input
  ImportOptions importing; ///< of a file of ONNX; `data` is set by the compiler
  SizeNumbers sizes;       ///< numbers in place of those that the model declares: {"depth", 12}
  CompileOptions options;
  std::string stopAfter; ///< a phase; empty: all
  std::string dumpDir;   ///< a folder for the module after every phase; empty: none
  /// The input may be a module that `--compile-to` printed: the phases behind it follow.
  bool goOn = false;
  bool timing = false; ///< seconds per phase on standard error
  /// A second compilation of a model would repeat what the first said, or speak of what nobody
  /// ships.
  Shown shown = Shown::Remarks;
  /// Sees the module after every phase, of several targets that of the first; null: nobody looks.
  std::function<void(llvm::StringRef phase, mlir::ModuleOp module)> inspect = {};
  /// Files that are read.
  std::vector<std::string> inputs() const { return {input, options.policyFile, options.profile}; }
};

/// Owns a context, the source file, and the handler that shows errors at the user's source lines.
class Compiler {
public:
  Compiler();
  /// Parses and runs the phases. Null after a failure, which has been reported on standard error.
  mlir::OwningOpRef<mlir::ModuleOp> run(const CompileRequest &request);
  mlir::MLIRContext &getContext() { return context; }
  /// The sizes that the model of the last run declares, as in "depth = 12".
  llvm::ArrayRef<std::string> getSizes() const { return sizes; }

private:
  mlir::LogicalResult filter(mlir::Diagnostic &diagnostic);

  mlir::DialectRegistry registry;
  TaskPool pool;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics;
  mlir::ScopedDiagnosticHandler clearer; ///< sees them first
  Shown shown = Shown::Remarks;
  std::string explained;
  std::vector<std::string> sizes;
};
} // namespace ampc
#endif
