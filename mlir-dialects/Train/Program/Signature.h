// Access to and insertion of arguments and results of a program by role.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PROGRAM_SIGNATURE_H
#define MLIR_DIALECTS_TRAIN_PROGRAM_SIGNATURE_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// View of a train.func or kernel.program. Attribute `train.is` is the role of an argument
/// (#train.state, #train.input or #train.control) or result (#train.state, #train.output or
/// #train.gradient). State precedes all other arguments.
class Signature {
public:
  explicit Signature(mlir::FunctionOpInterface program) : program(program) {}

  /// Role of an argument or result if of kind `Is`; else null.
  template <typename Is = mlir::Attribute> Is argument(unsigned i) {
    return mlir::dyn_cast_or_null<Is>(program.getArgAttr(i, key));
  }
  template <typename Is = mlir::Attribute> Is result(unsigned i) {
    return mlir::dyn_cast_or_null<Is>(program.getResultAttr(i, key));
  }
  template <typename Is> Is argument(mlir::BlockArgument argument) {
    return this->argument<Is>(argument.getArgNumber());
  }
  template <typename Is> Is result(mlir::OpOperand &returned) {
    return result<Is>(returned.getOperandNumber());
  }
  /// Name of the state of an argument or result; null for other roles.
  mlir::StringAttr stateArgument(unsigned i);
  mlir::StringAttr stateResult(unsigned i);
  bool isOutput(unsigned result, train::Output kind);

  /// Null if there is none.
  mlir::BlockArgument findState(mlir::StringRef name);
  mlir::BlockArgument findControl(train::Control control);

  void setArgument(unsigned i, mlir::Attribute is) { program.setArgAttr(i, key, is); }
  void setResult(unsigned i, mlir::Attribute is) { program.setResultAttr(i, key, is); }
  mlir::BlockArgument insertArgument(unsigned position, mlir::Type type, mlir::Attribute is,
                                     mlir::Location loc);
  /// The argument that holds a state; added behind the other state if there is none.
  mlir::BlockArgument addState(mlir::StringRef name, mlir::Type type, mlir::Location loc);
  mlir::BlockArgument addState(mlir::StringRef name, mlir::Type type) {
    return addState(name, type, program.getLoc());
  }
  /// Behind all other arguments.
  mlir::BlockArgument addControl(train::Control control);
  /// Appends a result; the program has a terminator.
  void addResult(mlir::Value value, mlir::Attribute is);
  void addStateResult(mlir::Value value, mlir::StringRef name) { addResult(value, state(name)); }
  void addOutput(mlir::Value value, train::Output kind);
  void eraseResult(unsigned i);
  /// Updates the program's type from the body, after passes changed types of values.
  void updateType();

  train::StateAttr state(mlir::StringRef name);

  static constexpr llvm::StringLiteral key = "train.is";

private:
  mlir::Block &body() { return program.getFunctionBody().front(); }
  mlir::FunctionOpInterface program;
};

/// Argument of a train.func or kernel.program; null for the result of an op, and for the argument
/// of a block inside an op, e.g. of a loop, whose number says nothing about the program's
/// signature.
mlir::BlockArgument programArgument(mlir::Value value);
} // namespace ampc
#endif
