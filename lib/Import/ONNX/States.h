// Classification of initializers: constants, parameters and buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_STATES_H
#define LIB_IMPORT_ONNX_STATES_H

#include "ampc/Import/ONNX.h"
#include "lib/Import/ONNX/Nodes.h"
#include "lib/Import/ONNX/Uses.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"

namespace ampc::onnx {
/// Classes of initializers. Constants: integers, masks, numbers of formulas such as an epsilon, and
/// tensors that exporters invented or computed without a parameter. State: all others, as
/// parameters if the loss has a gradient for them, else as buffers.
class States {
public:
  explicit States(const Model &model);

  /// Binds the initializers of a function before its first node. Faults of needed tensors go to
  /// `nodes`.
  void declare(Scope &scope, const llvm::StringSet<> &needed, Nodes &nodes);
  /// Makes state of numbers that match a pattern; an error for a pattern without a match.
  llvm::Error train(llvm::ArrayRef<std::string> patterns);
  /// Records the state that `func` reads.
  void noteReads(train::FuncOp func);
  /// Records parameters: state with a gradient of the results of `loss`, through the results of
  /// `predict` that `loss` uses if it calls `predict`.
  void noteTrained(train::FuncOp loss, train::FuncOp predict, bool calls);
  /// Freezes parameters that match a pattern; an error for a pattern without a match.
  llvm::Error freeze(llvm::ArrayRef<std::string> patterns);
  /// Prints the declarations; initial values refer to `file`, if given.
  void print(llvm::raw_ostream &os, llvm::StringRef file, ImportedModel &result) const;
  /// Remarks on constants and parameters that a user may want to be the other.
  std::vector<std::string> remarks() const;
  bool hasTrained() const { return !trained.empty(); }
  /// Records a running mean or variance; false if recorded before.
  bool noteStatistics(llvm::StringRef name) { return statistics.insert(name).second; }

private:
  std::vector<std::string> learnedBehind(const Tensor &tensor) const;
  bool isComputed(const Tensor &tensor) const;
  bool isFixed(const Tensor &tensor) const;
  bool isFormulaNumber(const Tensor &tensor) const;
  bool isWeight(const Tensor &tensor) const;
  bool isState(const Tensor &tensor) const;
  llvm::StringSet<> behind(mlir::ValueRange results, llvm::SmallBitVector &called) const;

  const Graph &graph;
  const Uses uses;
  const bool namesParameters;         ///< the exporter names parameters by their paths in a module
  llvm::StringSet<> trainable;        ///< numbers that are state by the user's will
  std::vector<std::string> numbers;   ///< numbers of formulas that functions read
  std::vector<std::string> elsewhere; ///< state with a gradient of other outputs only
  llvm::StringSet<> values;           ///< inputs and results of nodes
  llvm::StringMap<mlir::Type> read;
  llvm::StringMap<const Tensor *> initializers;
  llvm::StringSet<> trained, written, frozen;
  llvm::StringSet<> statistics; ///< running statistics of batch norms, without gradient
};
} // namespace ampc::onnx
#endif
