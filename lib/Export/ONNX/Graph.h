// ONNX model as plain structures, independent of protobuf's types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_EXPORT_ONNX_GRAPH_H
#define LIB_EXPORT_ONNX_GRAPH_H

#include "ampc/Data/Array.h"
#include <memory>
#include <variant>

namespace ampc::exporting {
struct Body;

struct NodeAttribute {
  std::string name;
  std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<std::string>, Array,
               std::shared_ptr<Body>>
      value;
};

struct Node {
  std::string op, name;
  std::vector<std::string> inputs, outputs;
  std::vector<NodeAttribute> attributes;
};

struct Dim {
  int64_t size;       ///< -1: neither number nor symbol
  std::string symbol; ///< symbolic size, unless empty
};
struct ValueInfo {
  std::string name;
  Element element;
  std::vector<Dim> dims;
};

/// Graph of a round of a loop. Its nodes read values of the graph around the loop, too.
struct Body {
  std::vector<Node> nodes;
  std::vector<ValueInfo> inputs, outputs;
};

struct Model {
  std::string name, producerVersion;
  int64_t opset = 0;
  std::vector<Node> nodes;
  std::vector<NamedArray> initializers;
  std::vector<ValueInfo> inputs, outputs;
  std::vector<std::pair<std::string, std::string>> metadata;
};

/// Encodes the model file. If `dataFile` is not empty, initializers of 1 KiB and more are stored in
/// that file: `beside` lists the arrays to write, in order.
std::string encode(const Model &model, const std::string &dataFile, std::vector<Array> &beside);
/// Writes the external data file; false with a message in `error`.
bool writeData(const std::string &path, const std::vector<Array> &data, std::string &error);
} // namespace ampc::exporting
#endif
