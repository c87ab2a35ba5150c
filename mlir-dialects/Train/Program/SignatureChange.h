// Many arguments and results for a program at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_SIGNATURECHANGE_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_SIGNATURECHANGE_H

#include "mlir-dialects/Train/Program/Signature.h"

namespace ampc {
/// State arguments of a program, by name of the state.
llvm::DenseMap<mlir::StringAttr, mlir::BlockArgument> findStates(mlir::FunctionOpInterface program);

/// Batched additions of arguments and results: the program's type and attributes are rebuilt once,
/// at the end of the change, because each addition to a Signature copies the attributes of all
/// parameters. Until then, the program's type and attributes are out of date.
class SignatureChange {
public:
  explicit SignatureChange(mlir::FunctionOpInterface program);
  ~SignatureChange();

  /// Additions with the meaning of the functions of Signature.
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
  unsigned leading = 0; ///< state arguments, before all other arguments
};
} // namespace ampc
#endif
