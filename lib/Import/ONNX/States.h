// Initializers as constants, parameters and buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_STATES_H
#define LIB_IMPORT_ONNX_STATES_H

#include "ampc/Import/ONNX.h"
#include "lib/Import/ONNX/Nodes.h"
#include "llvm/ADT/StringSet.h"

namespace ampc::onnx {
/// Integers, masks, and what exporters made up or computed without a parameter, are constants.
/// Other initializers are state: parameters if the loss has a gradient for them, else buffers.
class States {
public:
  explicit States(const Graph &graph);

  /// What a function knows before its first node. Faults of tensors that are needed go to `nodes`.
  void declare(Scope &scope, const llvm::StringSet<> &needed, Nodes &nodes);
  /// Notes which state `func` reads, and with `trains` what its result has a gradient for.
  void noteReads(train::FuncOp func, bool trains);
  /// Which parameters are to stay as they are; an error for a pattern that matches none.
  llvm::Error freeze(llvm::ArrayRef<std::string> patterns);
  /// Declarations, and the first values, for which they name `file`, if any.
  void print(llvm::raw_ostream &os, llvm::StringRef file, ImportedModel &result) const;
  bool hasTrained() const { return !trained.empty(); }
  /// Notes a running mean or variance; false if it was known.
  bool noteStatistics(llvm::StringRef name) { return statistics.insert(name).second; }

private:
  std::vector<std::string> learnedBehind(const Tensor &tensor) const;
  bool isComputed(const Tensor &tensor) const;
  bool isFixed(const Tensor &tensor) const;
  bool isState(const Tensor &tensor) const;

  const Graph &graph;
  llvm::StringSet<> values; ///< inputs, and results of nodes
  llvm::StringMap<mlir::Type> read;
  llvm::StringMap<const Tensor *> initializers;
  llvm::StringSet<> trained, written, frozen;
  llvm::StringSet<> statistics; ///< of batch norms, which no gradient changes
};
} // namespace ampc::onnx
#endif
