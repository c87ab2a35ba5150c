// Quantized weights as weights in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_DEQUANTIZE_H
#define LIB_IMPORT_ONNX_DEQUANTIZE_H

#include "lib/Import/ONNX/Reals.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

namespace ampc::onnx {
/// Replaces quantized weights by initializers in f32, and integer products of dynamic quantization
/// by products in f32; a remark says so. Nodes in other forms of quantization stay.
void dequantize(Model &model);
/// Whether the kind of node computes with quantized numbers.
bool isQuantization(llvm::StringRef op);

/// Rewrites of a graph with quantized numbers, by node.
class Dequantizer {
public:
  explicit Dequantizer(Model &model);
  void run();

private:
  // Weights, in Dequantize.cpp.
  const Tensor *known(const std::string &value) const;
  bool isFoldable(const Node &node) const;
  std::optional<Reals> evaluate(const std::string &value) const;
  std::optional<Reals> dequantized(const Node &node) const;
  void foldWeights();
  bool takeGather(Node &node);
  bool takeRange(Node &node);

  // Integer products, in DynamicQuantization.cpp.
  struct Scaled {
    std::string values, scale, zero; ///< names of quantized weights; `zero` may be ""
  };
  std::string weight(const Scaled &scaled, int64_t axis, bool isTransposed);
  const Node *only(const std::string &value, llvm::StringRef op) const;
  std::string realOf(const std::string &quantized) const;
  bool takeProduct(Node &node);
  bool takeToFloat(Node &node);
  bool takeLstm(Node &node);
  std::string otherFactor(const Node &product, const std::string &factor) const;
  void setProduct(Node &node, llvm::StringRef op, const std::string &x, const std::string &weight,
                  const std::string &bias);

  std::string freeName(std::string name) const;
  void noteNames();

  Model &model;
  Graph &graph;
  llvm::StringMap<const Tensor *> tensors; ///< initializers, and values of Constant nodes
  llvm::StringMap<Node *> makers;
  llvm::StringMap<int> uses;
  std::set<std::string> foldable;          ///< results of nodes
  std::set<const Node *> dropped;          ///< nodes that a rewrite replaced
  std::map<std::string, std::string> made; ///< names of weights in f32, by their quantized form
  std::vector<Node> extra;
  std::vector<Tensor> added;
  int64_t ranges = 0, products = 0;
};
} // namespace ampc::onnx
#endif
