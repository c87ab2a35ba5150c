// Many arguments and results for a program at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_SIGNATURECHANGE_H
#define MLIR_DIALECTS_TRAIN_SIGNATURECHANGE_H

#include "mlir-dialects/Train/Signature.h"

namespace ampc {
/// The arguments of a program that are state, by its name.
llvm::DenseMap<mlir::StringAttr, mlir::BlockArgument> findStates(mlir::FunctionOpInterface program);

/// Adds arguments and results one by one to a program whose type and attributes are made once, when
/// the change ends: each addition to a Signature copies those of all parameters. Until then the
/// program is not to be asked for them.
class SignatureChange {
public:
  explicit SignatureChange(mlir::FunctionOpInterface program);
  ~SignatureChange();

  /// As those of Signature.
  mlir::BlockArgument addState(mlir::StringRef name, mlir::Type type, mlir::Location loc);
  mlir::BlockArgument addState(mlir::StringRef name, mlir::Type type) {
    return addState(name, type, program.getLoc());
  }
  void addResult(mlir::Value value, mlir::Attribute is);
  void setResult(unsigned i, mlir::Attribute is);
  /// All results that are an `Is`.
  template <typename Is> void eraseResults() {
    eraseResults([](mlir::Attribute is) { return mlir::isa_and_nonnull<Is>(is); });
  }
  void addStateResult(mlir::Value value, mlir::StringRef name) {
    addResult(value, Signature(program).state(name));
  }
  void addOutput(mlir::Value value, train::Output kind);

private:
  void eraseResults(llvm::function_ref<bool(mlir::Attribute is)> goes);

  mlir::FunctionOpInterface program;
  mlir::Block &body;
  llvm::SmallVector<mlir::DictionaryAttr> arguments, results;
  llvm::DenseMap<mlir::StringAttr, mlir::BlockArgument> states;
  unsigned leading = 0; ///< arguments that are state, before all others
};
} // namespace ampc
#endif
