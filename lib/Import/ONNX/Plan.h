// Which nodes a function of the model needs, and in which order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_PLAN_H
#define LIB_IMPORT_ONNX_PLAN_H

#include "lib/Import/ONNX/Wire.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace ampc::onnx {
/// Of ops that train.
constexpr llvm::StringLiteral trainingDomain = "ai.onnx.preview.training";
/// Whether the node is the derivative of a value, of which it has the name.
bool isGradient(const Node &node);

/// The nodes behind some values, each after those that it needs.
struct Slice {
  std::vector<const Node *> nodes;
  llvm::StringSet<> inputs; ///< of the graph, and values where the slice ends
};

/// The graph as a map from values to the nodes that make them.
class Producers {
public:
  explicit Producers(const Graph &graph);
  /// Null for inputs, initializers and names that nothing makes.
  const Node *find(llvm::StringRef value) const { return nodes.lookup(value); }
  bool isKnown(llvm::StringRef value) const { return find(value) || given.contains(value); }
  /// What `values` need, up to the values of `end`. An error for a cycle, or a value that nothing
  /// makes.
  llvm::Expected<Slice> slice(llvm::ArrayRef<std::string> values,
                              const llvm::StringSet<> &end = {}) const;

private:
  llvm::StringMap<const Node *> nodes;
  llvm::StringSet<> given; ///< inputs and initializers
  llvm::StringMap<const Node *>
      again; ///< values that are there already, by the node that makes them
};

/// The values of a slice that need one of `inputs`, which each of them has.
llvm::StringMap<std::string> valuesBehind(const Slice &slice, llvm::ArrayRef<std::string> inputs);

/// Takes the names of outputs that nothing uses, but the first of a node: exporters name them all.
void forgetUnused(Graph &graph, llvm::ArrayRef<std::string> used);

/// What messages call a node.
std::string nameOf(const Node &node);
} // namespace ampc::onnx
#endif
