// A file of ONNX as plain structures: what the importer reads, without protobuf's types.
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
/// "f32", "i64", ...
const char *nameOf(Type type);

/// A tensor in the file or beside it, little-endian and row-major. `data` stays as long as the
/// model; `fault` says what is wrong with a tensor that has none.
struct Tensor {
  std::string name;
  Type type = Type::None;
  std::vector<int64_t> dims;
  const char *data = nullptr;
  int64_t count = 0;
  std::string fault;
  std::string missingFile;               ///< beside the model, where `data` would be
  std::vector<std::string> computedFrom; ///< of an initializer, if the exporter says so
  /// The initializer that it repeats along dimension 0 or, of two dimensions, transposes; or none.
  std::string original;

  int64_t bytes() const { return count * bytesOf(type); }
};

struct Graph;
struct Attribute {
  enum Kind { None, Real, Int, Text, Tensor, Graph, Reals, Ints, Texts, Other };
  std::string name;
  std::string refersTo; ///< inside a local function: an attribute of the call
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
  std::vector<std::string> inputs, outputs; ///< "" is one that is left out
  std::vector<Attribute> attributes;
  std::string source; ///< the op of a module that it is made from, if the exporter says so
  std::vector<std::string> reads; ///< what that read of the module's parameters and buffers

  const Attribute *find(std::string_view name) const;
};

struct Dim {
  int64_t size = -1;  ///< -1: unknown or named
  std::string symbol; ///< a name in the place of a number
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
  /// Names of the module's parameters, and of its buffers and constants; empty if the exporter does
  /// not say.
  std::set<std::string, std::less<>> parameters, others;
  /// Parameters of which the file has nothing: their ops are in the graph; nothing reads them.
  std::vector<std::string> lost, unread;
};

/// A function that the file brings along.
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
  std::vector<std::shared_ptr<void>> owners; ///< of the tensors' data
};

/// Nothing with a message in `error` for a file that is no model. Tensors whose bytes lie in other
/// files are mapped.
std::optional<Model> readModel(const std::string &path, std::string &error);
/// The same of bytes in memory; `folder` is where other files would be, "" for none.
std::optional<Model> readModel(const char *data, size_t bytes, const std::string &folder,
                               std::string &error);
} // namespace ampc::onnx
#endif
