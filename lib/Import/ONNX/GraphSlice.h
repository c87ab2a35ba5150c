// Nodes of a function, in topological order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_GRAPHSLICE_H
#define LIB_IMPORT_ONNX_GRAPHSLICE_H

#include "lib/Import/ONNX/Wire.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace ampc::onnx {
/// Domain of training ops, e.g. Adam.
constexpr llvm::StringLiteral trainingDomain = "ai.onnx.preview.training";
/// Whether the node is a Gradient, which names the differentiated value.
bool isGradient(const Node &node);

/// Nodes on which some values depend, in topological order.
struct Slice {
  std::vector<const Node *> nodes;
  llvm::StringSet<> inputs; ///< inputs of the graph, and values at which the slice ends
};

/// Map from the graph's values to the nodes that produce the values.
class Producers {
public:
  explicit Producers(const Graph &graph);
  /// Producer of the value; null for inputs, initializers and unknown names.
  const Node *find(llvm::StringRef value) const { return nodes.lookup(value); }
  bool isKnown(llvm::StringRef value) const { return find(value) || given.contains(value); }
  /// Nodes on which `values` depend, up to the values of `end`. An error for a cycle or an unknown
  /// value.
  llvm::Expected<Slice> slice(llvm::ArrayRef<std::string> values,
                              const llvm::StringSet<> &end = {}) const;

private:
  llvm::StringMap<const Node *> nodes;
  llvm::StringSet<> given; ///< inputs and initializers
  llvm::StringMap<const Node *>
      again; ///< values that are there already, by the node that makes them
};

/// Values of a slice that depend on an input in `inputs`, with the name of such an input.
llvm::StringMap<std::string> dependentValues(const Slice &slice,
                                             llvm::ArrayRef<std::string> inputs);

/// Erases names of unused outputs, except a node's first output: exporters name all outputs.
void forgetUnused(Graph &graph, llvm::ArrayRef<std::string> used);

/// Name of a node in messages.
std::string nameOf(const Node &node);
} // namespace ampc::onnx
#endif
