// Conversion of a function's nodes in order, with a record of faults.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_NODES_H
#define LIB_IMPORT_ONNX_NODES_H

#include "lib/Import/ONNX/Converter.h"
#include "lib/Import/ONNX/GraphSlice.h"
#include "lib/Import/ONNX/LayerModes.h"
#include "llvm/Support/Error.h"
#include <set>

namespace ampc::onnx {
/// Limit of converted nodes in all loop iterations and derivatives.
constexpr int64_t mostRepeated = 1 << 17;

/// A carried integer that is `first + step * round`, and `last` behind the loop.
struct LoopCounter {
  int64_t carried, first, step, last;
};

/// A Loop or Scan: where its body has carried values and sequences among inputs and outputs.
struct LoopNode {
  const Graph *body = nullptr;
  int64_t carried = 0;
  int64_t firstInput = 0;  ///< carried values among the body's inputs; sequences are behind
  int64_t firstOutput = 0; ///< carried values among the body's outputs; rows are behind
  int64_t rounds = 0;
  std::vector<ImportedValue> values; ///< first carried values
  Dims inputAxes, inputDirections, outputAxes, outputDirections;
  bool isLoop = false;    ///< the body's first inputs are the number of the round and a condition
  bool isCounted = false; ///< the condition holds in `rounds` rounds
  std::vector<LoopCounter> counters;
  std::vector<const Node *> rowReads; ///< nodes Gather of the row of the round
};

/// Error with all faults of a file's nodes.
class NodeFaults : public llvm::ErrorInfo<NodeFaults> {
public:
  static char ID;
  NodeFaults(std::string text, bool mayFollowFromSizes)
      : mayFollowFromSizes(mayFollowFromSizes), text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const bool mayFollowFromSizes; ///< all kinds of nodes are supported; other shapes might import

private:
  std::string text;
};

/// Converts nodes and collects the faults of all of them: a node whose operand failed is skipped.
class Nodes {
public:
  /// `modes`: of batch norms and dropouts.
  Nodes(const Model &model, const Producers &producers, LayerModes &modes)
      : model(model), producers(producers), modes(modes) {}

  void convert(mlir::OpBuilder &b, llvm::ArrayRef<const Node *> nodes, Scope &scope);
  /// Records nodes of kinds without a converter.
  void checkKinds(llvm::ArrayRef<const Node *> nodes);
  bool failed(llvm::StringRef value) const { return record.missing.contains(value); }
  void note(const llvm::Twine &fault);
  /// Records a missing file with initializers.
  void noteMissingFile(const std::string &file) { record.missingFiles.insert(file); }
  bool haveFaults() const { return !record.faults.empty() || !record.missingFiles.empty(); }
  /// Names of batch norms that use the file's statistics even in steps.
  llvm::ArrayRef<std::string> getFixedNorms() const { return record.fixedNorms; }
  void noteFixedNorm(const std::string &name);
  /// Remarks to the user on imported nodes.
  llvm::ArrayRef<std::string> getRemarks() const { return record.remarks; }
  /// Error with all faults.
  llvm::Error errors() const;

private:
  bool convert(mlir::OpBuilder &b, const Node &node, Scope &scope);
  /// Records a fault of a node whose kind has a converter.
  void noteUnconverted(const Node &node, const std::string &fault);
  std::string inputOptionFor(const std::string &condition) const;
  bool convertIf(mlir::OpBuilder &b, const Node &node, Scope &scope);
  void convertLoop(mlir::OpBuilder &b, Converter &c, Scope &scope);
  void convertScan(mlir::OpBuilder &b, Converter &c, Scope &scope);
  /// Converts the body once, for all rounds; false, without a trace, if the body needs the number
  /// of its round at import.
  bool convertRounds(mlir::OpBuilder &b, Converter &c, const LoopNode &loop, Scope &scope);
  /// Counts the rounds of a loop whose condition follows from carried integers.
  bool countRounds(mlir::OpBuilder &b, Converter &c, LoopNode &loop, int64_t limit,
                   const Scope &scope);
  bool tryRounds(mlir::OpBuilder &b, Converter &c, const LoopNode &loop, Scope &scope);
  void unrollLoop(mlir::OpBuilder &b, Converter &c, const LoopNode &loop, int64_t limit, bool goes,
                  Scope &scope);
  void unrollScan(mlir::OpBuilder &b, Converter &c, const LoopNode &loop, Scope &scope);
  void convertGradient(mlir::OpBuilder &b, Converter &c, Scope &scope);
  /// Value `y` of the graph in which the named values are replaced; null with a fault recorded.
  mlir::Value evaluateAt(mlir::OpBuilder &b, Converter &c, const std::string &y,
                         llvm::ArrayRef<std::string> names, llvm::ArrayRef<mlir::Value> values,
                         const Scope &outer);
  /// Whether the limit allows converting so many nodes once more; records a fault if not.
  bool repeat(Converter &c, int64_t nodes);
  /// Converts a subgraph but for some nodes; false if a node failed.
  bool convertBody(mlir::OpBuilder &b, const Graph &body, Scope &scope,
                   llvm::function_ref<bool(const Node &)> isSkipped = nullptr);
  /// Converts nodes of a subgraph whose initializers are declared, once for all rounds of a loop.
  bool convertBodyNodes(mlir::OpBuilder &b, const Graph &body, Scope &scope,
                        llvm::function_ref<bool(const Node &)> isSkipped);
  void noteWrittenOut(const Node &node, int64_t times);
  int64_t opsetOf(const Node &node) const;

  /// Findings, which an attempt takes back.
  struct Record {
    int64_t repeated = 0; ///< converted nodes, at most `mostRepeated`
    std::vector<std::string> faults, fixedNorms, remarks;
    std::set<std::string> missingFiles;
    bool lacksConverter = false;   ///< a kind of node has no converter
    bool isOneUnconverted = false; ///< a node failed for another reason
    llvm::StringSet<> noted;       ///< texts of `faults`
    llvm::StringSet<> missing;     ///< values of failed nodes
  };

  const Model &model;
  const Producers &producers;
  LayerModes &modes;
  Record record;
  int64_t counted = 0; ///< nodes of conditions, which loops that count their rounds have converted
};
} // namespace ampc::onnx
#endif
