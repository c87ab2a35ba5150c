// Compiler driver: from a source file to the module after a phase.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PIPELINES_COMPILER_H
#define AMPC_PIPELINES_COMPILER_H

#include "ampc/Import/ONNX.h"
#include "ampc/Pipelines/Pipelines.h"
#include "ampc/Support/TaskPool.h"
#include "mlir-dialects/Train/Text/Sizes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"
#include <functional>

namespace ampc {
/// Lowest severity of diagnostics that is shown.
enum class Shown { Remarks, Warnings, Errors };

/// Request to compile one model file.
struct CompileRequest {
  std::string input;       ///< a path, or "-" for standard input
  ImportOptions importing; ///< options of the ONNX importer; `data` is set by the compiler
  SizeNumbers sizes;       ///< overrides of sizes that the model declares: {"depth", 12}
  CompileOptions options;
  std::string stopAfter; ///< last phase to run; empty: all phases
  std::string dumpDir;   ///< folder for a dump of the module after every phase; empty: no dumps
  /// Accept a module printed by `--compile-to` and continue with the phases after it.
  bool goOn = false;
  bool timing = false; ///< seconds per phase on standard error
  /// Raised for a second compilation of a model, whose remarks would repeat the first or describe a
  /// program that nobody ships.
  Shown shown = Shown::Remarks;
  /// Callback after every phase, with the module of the first target if there are several; may be
  /// null.
  std::function<void(llvm::StringRef phase, mlir::ModuleOp module)> inspect = {};
  /// Paths of the files that the request reads.
  std::vector<std::string> inputs() const { return {input, options.policyFile, options.profile}; }
};

/// Owner of an MLIR context, the source file, and the handler that prints errors at source lines.
class Compiler {
public:
  Compiler();
  /// Parses the input and runs the phases. Null after a failure, which has been reported on
  /// standard error.
  mlir::OwningOpRef<mlir::ModuleOp> run(const CompileRequest &request);
  mlir::MLIRContext &getContext() { return context; }
  /// Sizes declared by the model of the last run: "depth = 12".
  llvm::ArrayRef<std::string> getSizes() const { return sizes; }

private:
  mlir::LogicalResult filter(mlir::Diagnostic &diagnostic);
  bool isRepeated(mlir::Diagnostic &diagnostic);

  mlir::DialectRegistry registry;
  TaskPool pool;
  mlir::MLIRContext context;
  llvm::SourceMgr sources;
  mlir::SourceMgrDiagnosticHandler diagnostics;
  mlir::ScopedDiagnosticHandler clearer; ///< rewrites diagnostics before they are printed
  Shown shown = Shown::Remarks;
  std::string explained;
  llvm::StringSet<> said; ///< warnings and remarks with their locations, each emitted once: an
                          ///< op may be in several programs
  std::vector<std::string> sizes;
};
} // namespace ampc
#endif
