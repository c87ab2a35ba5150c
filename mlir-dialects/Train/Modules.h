// Modules in use: their sizes, and what their functions are with them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_MODULES_H
#define MLIR_DIALECTS_TRAIN_MODULES_H

#include "mlir-dialects/Train/Results.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

#define GET_OP_CLASSES
#include "mlir-dialects/Train/ModulesOps.h.inc"

namespace ampc {
/// A model, or one use of a module, with numbers for its sizes and a name for its state.
class ModuleInstance {
public:
  using Numbers = std::map<std::string, int64_t>;
  /// `outer` is the instance of what the module stands in; null where that is still being parsed,
  /// whose sizes are then given. `user` is the one whose module uses this one.
  ModuleInstance(train::ModelOp model, std::string prefix, const ModuleInstance *outer = nullptr,
                 const Sizes *outerSizes = nullptr, const ModuleInstance *user = nullptr)
      : model(model), prefix(std::move(prefix)), sizes(outer ? &outer->sizes : outerSizes),
        outer(outer), user(user) {}

  /// Gives the sizes their numbers, and makes the instances inside. An error stands at `place`.
  llvm::LogicalResult fill(const Numbers &given, mlir::Location place);

  train::FuncOp findFunction(llvm::StringRef name) const;
  /// Those under a name that `train.use` gave; null if there is none.
  const llvm::SmallVector<std::unique_ptr<ModuleInstance>> *findUses(llvm::StringRef name) const;
  /// Of its own parameter or buffer, with the instance's numbers; null if there is none.
  mlir::Type stateType(llvm::StringRef name) const { return stateTypes.lookup(name); }
  std::string nameOf(llvm::StringRef state) const {
    return prefix.empty() ? state.str() : prefix + "." + state.str();
  }

  /// A copy of its function with the instance's numbers: no formulas, calls or uses of modules are
  /// left in it, and state has full names. Calls stay where `keepsCalls`. Ops are named after
  /// `name`.
  mlir::OwningOpRef<train::FuncOp> expand(train::FuncOp func, llvm::StringRef name,
                                          bool keepsCalls) const;

  mutable train::ModelOp model; // reading an op takes a handle that is not const
  std::string prefix;
  Sizes sizes;
  bool frozen = false;
  llvm::MapVector<mlir::StringAttr, llvm::SmallVector<std::unique_ptr<ModuleInstance>>> uses;

private:
  llvm::LogicalResult addUse(train::UseOp use);
  /// Instances inside, which a text of a few lines could make more than any memory holds.
  llvm::LogicalResult count(mlir::Operation *use) const;
  const ModuleInstance &root() const { return user ? user->root() : *this; }
  train::ModelOp findModule(llvm::StringRef name, const ModuleInstance *&owner) const;
  llvm::LogicalResult expandBlock(mlir::Block &block, bool keepsCalls) const;
  llvm::LogicalResult expandOp(mlir::Operation *op, bool keepsCalls) const;
  void markSegment(train::FuncOp copy, std::string name) const;
  llvm::LogicalResult inlineApply(train::ApplyOp apply) const;
  llvm::LogicalResult inlineCall(train::CallOp call) const;

  const ModuleInstance *outer, *user;
  llvm::StringMap<mlir::Type> stateTypes;
  /// Of the outermost user: how many there are, how many ops have been copied, how deep this is,
  /// and how many checkpoints there are of each name.
  mutable int64_t instances = 0, ops = 0, depth = 0;
  mutable llvm::StringMap<int64_t> checkpoints;
};

/// A module that can be used in the model that is being parsed; null if there is none. `sizes` gets
/// those of what it stands in.
train::ModelOp findParsedModule(mlir::MLIRContext *context, llvm::StringRef name,
                                const Sizes *&sizes);
/// Adds to every error while it lives that it came up in an instance of a module.
class UseNote {
public:
  UseNote(mlir::Location place, llvm::StringRef module);

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// For the registry of a program that reads models.
void registerModuleOps(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
