// The phase table: the one list that drives stop points, dumps, help and docs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PIPELINES_PIPELINES_H
#define AMPC_PIPELINES_PIPELINES_H

#include "ampc/Pipelines/CompileOptions.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace ampc {
/// One phase: a name, what holds afterwards, and the passes that make it hold.
struct Phase {
  llvm::StringLiteral name;
  llvm::StringLiteral after;
  void (*addPasses)(mlir::OpPassManager &pm, const CompileOptions &options); ///< for `addTo` alone

  /// The passes, between what makes text as good as memory: an order of uses before them, and a
  /// note in the module that they ran behind them.
  void addTo(mlir::OpPassManager &pm, const CompileOptions &options) const;
};

/// All phases in order, up to `emit`.
llvm::ArrayRef<Phase> getPhases();
const Phase *findPhase(llvm::StringRef name);
/// The last phase that a module has been through, by its attribute `train.phase`; null: none. An
/// error if the attribute names no phase, which has been reported.
mlir::FailureOr<const Phase *> lastPhaseOf(mlir::ModuleOp module);
/// The names of all phases, for messages.
std::string phaseNames();

/// The names of all targets, for messages.
std::string targetNames();
/// What a list of targets should have been, but is not; or nothing.
std::string expectedTargets(llvm::ArrayRef<std::string> names);

/// Every dialect and interface that a model, any phase, or code generation needs.
void registerDialects(mlir::DialectRegistry &registry);
/// Every pass and, as a pipeline, every phase.
void registerPasses();
} // namespace ampc
#endif
