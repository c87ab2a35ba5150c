// Uses of the graph's values, and the roles of operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_USES_H
#define LIB_IMPORT_ONNX_USES_H

#include "lib/Import/ONNX/Wire.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

namespace ampc::onnx {
/// Input `input` of a node of the kind `op`; no pointer to the node, because rewrites move nodes.
struct Use {
  std::string op, domain;
  size_t input;
};

/// Map from values to the nodes that read the values, in subgraphs, too.
class Uses {
public:
  explicit Uses(const Graph &graph) { add(graph); }
  llvm::ArrayRef<Use> of(llvm::StringRef value) const;
  /// Whether the graph or a subgraph returns the value.
  bool isReturned(llvm::StringRef value) const { return returned.count(value) != 0; }

private:
  void add(const Graph &graph);

  llvm::StringMap<llvm::SmallVector<Use, 2>> uses;
  llvm::StringMap<bool> returned;
};

/// Whether the operand is a weight by the definition of the op: filters, biases, factors of norms,
/// slopes of PRelu.
bool isWeightOperand(const Use &use);
/// Whether the op computes element by element, with constants of formulas as usual operands.
bool isArithmetic(const Use &use);
/// Whether an exporter invented the name. Names of parameters are paths in a module.
bool isExporterName(llvm::StringRef name);
/// Whether a word of the name is one that frameworks give parameters: `weight`, `bias`, `gamma`.
bool hasParameterName(llvm::StringRef name);
/// Whether the tensor is a number of a formula, such as an epsilon: one element that no node reads
/// as a weight, and that has no parameter's name.
bool isNumber(const Tensor &tensor, const Uses &uses);
} // namespace ampc::onnx
#endif
