// Phase table: the single list behind stop points, dumps, help and docs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PIPELINES_PIPELINES_H
#define AMPC_PIPELINES_PIPELINES_H

#include "ampc/Pipelines/CompileOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace ampc {
/// Verification of a module in a phase. Builds with assertions, and ampc-opt, verify behind every
/// pass of every phase.
enum class Verification {
  EachPass,  ///< behind every pass: the text of a user may be invalid
  EachPhase, ///< behind the phase, which makes ops of another kind: gradients, casts, kernels, code
  WhenPrinted, ///< behind the phase if its module is printed: an invalid module is a fault of a
               ///< pass there, and a verification takes 1 % of the compile time
};

/// One phase: a name, its postcondition, its verification, and the passes that establish the
/// postcondition.
struct Phase {
  llvm::StringLiteral name;
  llvm::StringLiteral after;
  Verification verification;
  void (*addPasses)(mlir::OpPassManager &pm,
                    const CompileOptions &options); ///< called by `addTo` only

  /// Adds the passes, with a pass before that sorts use lists and a pass behind that records the
  /// phase in the module, so that printed text is equivalent to the module in memory.
  void addTo(mlir::OpPassManager &pm, const CompileOptions &options) const;
};

/// All phases in order; the last is `emit`.
llvm::ArrayRef<Phase> getPhases();
const Phase *findPhase(llvm::StringRef name);
/// Last phase that a module has been through, read from its attribute `train.phase`; null: none.
/// Fails, after an error, if the attribute names no phase.
mlir::FailureOr<const Phase *> lastPhaseOf(mlir::ModuleOp module);
/// Names of all phases, for messages.
std::string phaseNames();

/// Names of all targets, for messages.
std::string targetNames();
/// Expected form of a list of targets, for an error message; nothing if `names` is valid.
std::string expectedTargets(llvm::ArrayRef<std::string> names);

/// Registers every dialect and interface of models, phases and code generation.
void registerDialects(mlir::DialectRegistry &registry);
/// Registers every pass, and every phase as a pipeline.
void registerPasses();
} // namespace ampc
#endif
