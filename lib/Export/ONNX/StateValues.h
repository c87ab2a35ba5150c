// Values of parameters and buffers for the initializers of a graph.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_EXPORT_ONNX_STATEVALUES_H
#define LIB_EXPORT_ONNX_STATEVALUES_H

#include "ampc/Data/Array.h"
#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/StringMap.h"

namespace ampc::exporting {
/// Values of parameters and buffers in a weights file, looked up on demand.
class StateValues {
public:
  StateValues(train::ModelOp model, llvm::ArrayRef<NamedArray> weights, llvm::StringRef file)
      : model(model), weights(weights), file(file) {}
  /// Value of the state; zeros after an error.
  Array get(llvm::StringRef name);
  bool hasFailed = false;

private:
  std::optional<Array> find(StateOpInterface state);

  train::ModelOp model;
  llvm::ArrayRef<NamedArray> weights;
  llvm::StringRef file;
  mlir::SymbolTableCollection symbols;
  llvm::StringMap<Array> found;
};
} // namespace ampc::exporting
#endif
