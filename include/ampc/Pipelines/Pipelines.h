// The phase table: the one list that drives stop points, dumps, help and docs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PIPELINES_PIPELINES_H
#define AMPC_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace ampc {
struct CompileOptions {
  std::string precision = "f32"; ///< f64, f32, bf16, f16, tf32 or fp8
  std::string policy = "mincut"; ///< mincut, autocast, autocast-cpu, propagate or narrow
  std::string policyFile;        ///< lines added to the policy's table; empty: none
  std::vector<std::string> precisionOverrides; ///< REGEX=TYPE: the type of ops by name
  std::vector<std::string> policyEdits;        ///< MNEMONIC=TREATMENT: lines of the policy's table
  std::string lossScaling =
      "torch"; ///< constants of steps without amp.scaler: torch, tf, apex, paddle or none
  bool masterWeights = true; ///< parameters in f32; false: rounded to 16 bits after every update
  bool fuse = true;          ///< false: one kernel per op, to compare bits
  std::string packWeights = "auto"; ///< auto, always or never: the same, for packed weights
  bool fusePacks = true; ///< false: kernels of their own write packed weights, to compare bits
  std::string profile;   ///< file of `ampc profile`; empty: none
  bool recompute = true; ///< false: cheap values are kept for the backward pass, to compare bits
  std::vector<std::string> tiers; ///< instruction sets to write code for; empty: all
  bool observe = false;           ///< every value of a step is a result of its program (Observe.h)
  bool explain = false;           ///< a remark for every decision
  bool policyCosts = false;       ///< attach to programs what each policy costs
};

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

/// Every dialect and interface that a model, any phase, or code generation needs.
void registerDialects(mlir::DialectRegistry &registry);
/// Every pass and, as a pipeline, every phase.
void registerPasses();
} // namespace ampc
#endif
