// Converts the nodes of a function one after the other, and notes what goes wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_NODES_H
#define LIB_IMPORT_ONNX_NODES_H

#include "lib/Import/ONNX/Converter.h"
#include "lib/Import/ONNX/Plan.h"
#include "llvm/Support/Error.h"
#include <set>

namespace ampc::onnx {
/// Nodes in all rounds of loops and all points of derivatives.
constexpr int64_t mostRepeated = 1 << 17;

/// What is wrong with the nodes of a file.
class NodeFaults : public llvm::ErrorInfo<NodeFaults> {
public:
  static char ID;
  NodeFaults(std::string text, bool mayFollowFromSizes)
      : mayFollowFromSizes(mayFollowFromSizes), text(std::move(text)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const bool mayFollowFromSizes; ///< nodes of all kinds could be imported, with other shapes

private:
  std::string text;
};

/// Faults of all nodes that can be reached are found: a node that needs what another failed to make
/// is passed over.
class Nodes {
public:
  /// With `trains`, nodes that were exported for inference do what they do in training.
  Nodes(const Model &model, const Producers &producers, bool trains)
      : model(model), producers(producers), trains(trains) {}

  void convert(mlir::OpBuilder &b, llvm::ArrayRef<const Node *> nodes, Scope &scope);
  /// Notes nodes of kinds that nothing converts.
  void checkKinds(llvm::ArrayRef<const Node *> nodes);
  bool failed(llvm::StringRef value) const { return missing.contains(value); }
  void note(const llvm::Twine &fault);
  /// A file beside the model in which initializers would be.
  void noteMissingFile(const std::string &file) { missingFiles.insert(file); }
  bool haveFaults() const { return !faults.empty() || !missingFiles.empty(); }
  /// Names of batch norms that use the statistics of the file in steps as well.
  llvm::ArrayRef<std::string> getFixedNorms() const { return fixedNorms; }
  void noteFixedNorm(const std::string &name);
  /// What the user may want to know of nodes that were imported.
  llvm::ArrayRef<std::string> getRemarks() const { return remarks; }
  /// One NodeFaults with all faults.
  llvm::Error errors() const;

private:
  bool convert(mlir::OpBuilder &b, const Node &node, Scope &scope);
  /// Notes what is wrong with a node of a kind that there is a converter for.
  void noteUnconverted(const Node &node, const std::string &fault);
  bool convertIf(mlir::OpBuilder &b, const Node &node, Scope &scope);
  void convertLoop(mlir::OpBuilder &b, Converter &c, Scope &scope);
  void convertScan(mlir::OpBuilder &b, Converter &c, Scope &scope);
  void convertGradient(mlir::OpBuilder &b, Converter &c, Scope &scope);
  /// The value `y` where values of these names are others; null with a fault noted.
  mlir::Value evaluateAt(mlir::OpBuilder &b, Converter &c, const std::string &y,
                         llvm::ArrayRef<std::string> names, llvm::ArrayRef<mlir::Value> values,
                         const Scope &outer);
  /// Whether nodes that stand in the file once may be converted once more; notes a fault if not.
  bool repeat(Converter &c, int64_t nodes);
  /// Converts the nodes of a graph inside of a node; false if one of them failed.
  bool convertBody(mlir::OpBuilder &b, const Graph &body, Scope &scope);
  void noteWrittenOut(const Node &node, int64_t times);
  int64_t opsetOf(const Node &node) const;

  const Model &model;
  const Producers &producers;
  const bool trains;
  int64_t repeated = 0; ///< of `mostRepeated`
  std::vector<std::string> faults, fixedNorms, remarks;
  std::set<std::string> missingFiles;
  bool lacksConverter = false;   ///< for the kind of a node
  bool isOneUnconverted = false; ///< for another reason
  llvm::StringSet<> noted;       ///< `faults`
  llvm::StringSet<> missing;     ///< values of nodes with a fault
};
} // namespace ampc::onnx
#endif
