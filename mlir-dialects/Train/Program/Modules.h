// Module instances: sizes and specialized functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_MODULES_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_MODULES_H

#include "mlir-dialects/Train/Text/Results.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

#define GET_OP_CLASSES
#include "mlir-dialects/Train/ModulesOps.h.inc"

namespace ampc {
/// Instance of a module, or a model: values of sizes and a name prefix of state. Example: prefix
/// "h0" and parameter "w" -> state "h0.w".
class ModuleInstance {
public:
  using Numbers = SizeNumbers;
  /// `outer`: instance that encloses the module; null if the enclosing model is still being parsed,
  /// in which case `outerSizes` is given. `user`: instance whose module uses this instance.
  ModuleInstance(train::ModelOp model, std::string prefix, const ModuleInstance *outer = nullptr,
                 const Sizes *outerSizes = nullptr, const ModuleInstance *user = nullptr)
      : model(model), prefix(std::move(prefix)), sizes(outer ? &outer->sizes : outerSizes),
        outer(outer), user(user) {}

  /// Gives the sizes their numbers, and makes the instances inside. An error stands at `place`.
  llvm::LogicalResult fill(const Numbers &given, mlir::Location place);

  train::FuncOp findFunction(llvm::StringRef name) const;
  /// Instances under the name of a `train.use`; null if unknown.
  const llvm::SmallVector<std::unique_ptr<ModuleInstance>> *findUses(llvm::StringRef name) const;
  /// Type of an own parameter or buffer with the instance's sizes; null if unknown.
  mlir::Type stateType(llvm::StringRef name) const { return stateTypes.lookup(name); }
  std::string nameOf(llvm::StringRef state) const {
    return prefix.empty() ? state.str() : prefix + "." + state.str();
  }

  /// Specialized copy of a function without formulas, calls or uses of modules; state has full
  /// names. `keepsCalls` leaves calls in place. Ops are named after `name`.
  mlir::OwningOpRef<train::FuncOp> expand(train::FuncOp func, llvm::StringRef name,
                                          bool keepsCalls) const;
  /// Copy for operands of these types, null where unknown: a size of a surrounding model that
  /// is a dimension of an argument has the number of the operand, unless state depends on the size.
  /// Example: @apply(%x: f32[batch, 2]) for f32[100, 2] has 100 in place of batch.
  mlir::OwningOpRef<train::FuncOp> expandFor(mlir::ArrayRef<mlir::Type> types, train::FuncOp func,
                                             llvm::StringRef name) const;

  mutable train::ModelOp model; // reading an op takes a handle that is not const
  std::string prefix;
  Sizes sizes;
  bool frozen = false;
  llvm::MapVector<mlir::StringAttr, llvm::SmallVector<std::unique_ptr<ModuleInstance>>> uses;

private:
  llvm::LogicalResult addUse(train::UseOp use);
  /// Counts nested instances, which a text of a few lines could multiply beyond any memory.
  llvm::LogicalResult count(mlir::Operation *use) const;
  const ModuleInstance &root() const { return user ? user->root() : *this; }
  train::ModelOp findModule(llvm::StringRef name, const ModuleInstance *&owner) const;
  llvm::LogicalResult expandBlock(mlir::Block &block, bool keepsCalls) const;
  llvm::LogicalResult expandOp(mlir::Operation *op, bool keepsCalls) const;
  void markSegment(train::FuncOp copy, std::string name) const;
  llvm::LogicalResult inlineApply(train::ApplyOp apply) const;
  /// `hasTypes`: the types of the call are those of the copy, as of a function with the sizes of
  /// the text.
  llvm::LogicalResult inlineCall(train::CallOp call, bool hasTypes) const;
  Numbers sizesOf(mlir::ArrayRef<mlir::Type> types, train::FuncOp func) const;
  bool isFixed(llvm::StringRef size) const;
  bool isOfOtherSizes(train::CallOp call) const;
  const Sizes &present() const { return bound ? *bound : sizes; }

  const ModuleInstance *outer, *user;
  llvm::StringMap<mlir::Type> stateTypes;
  mutable const Sizes *bound = nullptr; ///< sizes of the function that is being copied
  /// Counters of the outermost user: instances, copied ops, current depth, and checkpoints per
  /// name.
  mutable int64_t instances = 0, ops = 0, depth = 0;
  mutable llvm::StringMap<int64_t> checkpoints;
};

/// Finds a module in the model that is being parsed; null if unknown. `sizes` receives the sizes of
/// the enclosing scope.
train::ModelOp findParsedModule(mlir::MLIRContext *context, llvm::StringRef name,
                                const Sizes *&sizes);
/// Adds a note "in an instance of a module" to every error in the note's lifetime.
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
