// Classification of initializers: constants, parameters and buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_STATES_H
#define LIB_IMPORT_ONNX_STATES_H

#include "ampc/Import/ONNX.h"
#include "lib/Import/ONNX/Nodes.h"
#include "llvm/ADT/StringSet.h"

namespace ampc::onnx {
/// Classes of initializers. Constants: integers, masks, and tensors that exporters invented or
/// computed without a parameter. State: all others, as parameters if the loss has a gradient for
/// them, else as buffers.
class States {
public:
  explicit States(const Graph &graph);

  /// Binds the initializers of a function before its first node. Faults of needed tensors go to
  /// `nodes`.
  void declare(Scope &scope, const llvm::StringSet<> &needed, Nodes &nodes);
  /// Records the state that `func` reads and, with `trains`, the state with a gradient of the
  /// result.
  void noteReads(train::FuncOp func, bool trains);
  /// Freezes parameters that match a pattern; an error for a pattern without a match.
  llvm::Error freeze(llvm::ArrayRef<std::string> patterns);
  /// Prints the declarations; initial values refer to `file`, if given.
  void print(llvm::raw_ostream &os, llvm::StringRef file, ImportedModel &result) const;
  bool hasTrained() const { return !trained.empty(); }
  /// Records a running mean or variance; false if recorded before.
  bool noteStatistics(llvm::StringRef name) { return statistics.insert(name).second; }

private:
  std::vector<std::string> learnedBehind(const Tensor &tensor) const;
  bool isComputed(const Tensor &tensor) const;
  bool isFixed(const Tensor &tensor) const;
  bool isState(const Tensor &tensor) const;

  const Graph &graph;
  llvm::StringSet<> values; ///< inputs and results of nodes
  llvm::StringMap<mlir::Type> read;
  llvm::StringMap<const Tensor *> initializers;
  llvm::StringSet<> trained, written, frozen;
  llvm::StringSet<> statistics; ///< running statistics of batch norms, without gradient
};
} // namespace ampc::onnx
#endif
