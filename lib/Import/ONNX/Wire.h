// An ONNX file as plain structures, independent of protobuf's types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_WIRE_H
#define LIB_IMPORT_ONNX_WIRE_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ampc::onnx {
/// TensorProto.DataType.
enum class Type : int32_t {
  None = 0,
  F32 = 1,
  U8 = 2,
  I8 = 3,
  U16 = 4,
  I16 = 5,
  I32 = 6,
  I64 = 7,
  String = 8,
  Bool = 9,
  F16 = 10,
  F64 = 11,
  U32 = 12,
  U64 = 13,
  BF16 = 16,
};
constexpr bool isReal(Type type) {
  return type == Type::F32 || type == Type::F64 || type == Type::F16 || type == Type::BF16;
}
/// Bytes of an element; 0 for types without a fixed width.
int64_t bytesOf(Type type);
/// Name of the type: "f32", "i64", ...
const char *nameOf(Type type);

/// A tensor in the file or in an external file, little-endian and row-major. `data` lives as long
/// as the model; `fault` is the error of a tensor without data.
struct Tensor {
  std::string name;
  Type type = Type::None;
  std::vector<int64_t> dims;
  const char *data = nullptr;
  int64_t count = 0;
  std::string fault;
  std::string missingFile;               ///< external file that `data` would be in
  std::vector<std::string> computedFrom; ///< of an initializer, by the exporter's notes
  /// Initializer that this tensor repeats along dimension 0, or of which a matrix is the transpose;
  /// or "".
  std::string original;

  bool isGiven = false; ///< an input's value by an option, which is a constant

  int64_t bytes() const { return count * bytesOf(type); }
};

struct Graph;
struct Attribute {
  enum Kind { None, Real, Int, Text, Tensor, Graph, Reals, Ints, Texts, Other };
  std::string name;
  std::string refersTo; ///< inside a local function: attribute of the call
  Kind kind = None;
  float real = 0;
  int64_t integer = 0;
  std::string text;
  onnx::Tensor tensor;
  std::vector<float> reals;
  std::vector<int64_t> ints;
  std::vector<std::string> texts;
  std::shared_ptr<onnx::Graph> graph;
};

struct Node {
  std::string name, op, domain;
  std::vector<std::string> inputs, outputs; ///< "" for an omitted input or output
  std::vector<Attribute> attributes;
  std::string source;             ///< op of the module, by the exporter's notes
  std::vector<std::string> reads; ///< parameters and buffers that the op read

  const Attribute *find(std::string_view name) const;
};

struct Dim {
  int64_t size = -1;  ///< -1: unknown or symbolic
  std::string symbol; ///< symbolic size
};
struct ValueInfo {
  std::string name;
  Type type = Type::None;
  bool hasShape = false;
  std::vector<Dim> dims;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<ValueInfo> inputs, outputs;
  /// Names of the module's parameters, and of its buffers and constants; empty without exporter
  /// notes.
  std::set<std::string, std::less<>> parameters, others;
  /// Parameters that the file lacks: nodes need the lost ones, no node reads the unread ones.
  std::vector<std::string> lost, unread;
};

/// A local function of the file.
struct Function {
  std::string name, domain;
  std::vector<std::string> inputs, outputs;
  std::vector<Node> nodes;
};

struct Model {
  std::string producer;
  std::map<std::string, int64_t> opsets; ///< version by domain; "" is ONNX's own
  Graph graph;
  std::vector<Function> functions;
  std::vector<std::shared_ptr<void>> owners; ///< owners of the tensors' data
  std::vector<std::string> remarks;          ///< to the user, on rewrites of the graph
};

/// Reads a model; nothing, with a message in `error`, for a file that is no model. External data is
/// mapped.
std::optional<Model> readModel(const std::string &path, std::string &error);
/// Reads a model from memory; `folder` is the folder of external data, "" for none.
std::optional<Model> readModel(const char *data, size_t bytes, const std::string &folder,
                               std::string &error);
} // namespace ampc::onnx
#endif
