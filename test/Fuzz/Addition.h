// Ops, state and inputs added to a finished random model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_FUZZ_ADDITION_H
#define TEST_FUZZ_ADDITION_H

#include "mlir-dialects/Train/Train.h"
#include "test/Fuzz/Random.h"

namespace ampc::fuzz {
/// Base of additions: builders of ops with a random stream of their own, so that the model around
/// an addition stays the same.
class Addition {
public:
  Addition(train::ModelOp model, Random &random)
      : model(model), random(random), context(model.getContext()), builder(context) {}

protected:
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute value);
  mlir::Operation *makeOp(llvm::StringRef name, mlir::ValueRange operands, mlir::TypeRange results,
                          llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  mlir::Value create(llvm::StringRef name, mlir::ValueRange operands, mlir::Type result,
                     llvm::ArrayRef<mlir::NamedAttribute> attributes = {});
  /// Declares a parameter or buffer; `prefix` begins the name, e.g. "h" -> @h0.
  std::string declare(llvm::StringRef kind, llvm::StringRef prefix, mlir::RankedTensorType type,
                      llvm::StringRef init, llvm::ArrayRef<mlir::NamedAttribute> marks = {});
  std::string freeName(llvm::StringRef prefix);
  mlir::Value read(llvm::StringRef state, mlir::RankedTensorType type);
  mlir::Value addInput(train::FuncOp func, mlir::RankedTensorType type);
  mlir::Value makeNumber(double number, mlir::Type element);
  /// Sum or mean over all dimensions.
  mlir::Value reduceAll(llvm::StringRef name, mlir::Value value);
  /// Adds a scalar to the loss that the function returns; `builder` is in front of the end.
  void addToLoss(train::FuncOp func, mlir::Value term);
  mlir::RankedTensorType real(llvm::ArrayRef<int64_t> shape) {
    return mlir::RankedTensorType::get(shape, builder.getF32Type());
  }
  /// Functions that steps minimize, or that are exported.
  llvm::SmallVector<train::FuncOp> losses();
  llvm::SmallVector<train::FuncOp> exported();

  train::ModelOp model;
  Random &random;
  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
};

/// Rows of the batch of a function: the first extent of the first input.
int64_t batchOf(train::FuncOp func);
} // namespace ampc::fuzz
#endif
