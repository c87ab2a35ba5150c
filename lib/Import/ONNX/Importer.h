// State of an import: assignment of nodes to functions, and the functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_IMPORTER_H
#define LIB_IMPORT_ONNX_IMPORTER_H

#include "ampc/Import/ONNX.h"
#include "lib/Import/ONNX/Losses.h"
#include "lib/Import/ONNX/Nodes.h"
#include "lib/Import/ONNX/States.h"
#include "mlir-dialects/Train/Families.h"
#include "mlir/IR/BuiltinOps.h"

namespace ampc::onnx {
/// Function of the model before conversion of the nodes.
struct Plan {
  std::string name;
  Slice slice;
  std::vector<std::string> results;
};

class Importer {
public:
  Importer(const Model &model, const ImportOptions &options, std::string source);
  llvm::Expected<ImportedModel> run();

private:
  llvm::Error readInputs();
  llvm::Error readLoss();
  llvm::Error plan();
  std::vector<std::string> lossNeeds() const;
  llvm::Error planLoss();
  llvm::Expected<std::vector<std::string>> targets() const;
  bool canCall(const Slice &loss) const;
  train::FuncOp begin(llvm::StringRef name, const Slice &slice, Scope &scope);
  void callPredict(mlir::OpBuilder &b, Scope &scope);
  /// Whether the loss has a loss op of --loss as a term.
  bool hasLossOp() const;
  bool isLossOutput(llvm::StringRef name) const;
  mlir::Value termOf(mlir::OpBuilder &b, const LossTerm &term, Scope &scope);
  mlir::Value lossOf(mlir::OpBuilder &b, Scope &scope);
  llvm::Error finish(train::FuncOp func, mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> results);
  /// Restores layers that an exporter decomposed.
  void raiseLayers(train::FuncOp func);
  llvm::Error build();

  const Model &model;
  const ImportOptions &options;
  std::string source;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Producers producers;
  LayerModes modes;
  States states;
  std::vector<ValueInfo> inputs; ///< with all dimensions known
  LossText loss;
  std::optional<Plan> predict, train;
  bool calls = false; ///< the loss calls `predict`
  train::FuncOp predictFunc, lossFunc;
  Nodes nodes;
  std::vector<std::string> remarks;
};
} // namespace ampc::onnx
#endif
