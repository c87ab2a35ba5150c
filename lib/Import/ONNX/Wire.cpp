// Decoder of ONNX's wire format; the only file of the importer that includes protobuf.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Import/ONNX/Wire.h"
#include "ampc/Data/Mapping.h"
#include "ampc/Data/Paths.h"
#include "lib/Import/ONNX/RawData.h"
#include "onnx.pb.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <google/protobuf/io/coded_stream.h>
#include <limits>

using namespace ampc::onnx;

int64_t ampc::onnx::bytesOf(Type type) {
  switch (type) {
  case Type::U8:
  case Type::I8:
  case Type::Bool:
    return 1;
  case Type::U16:
  case Type::I16:
  case Type::F16:
  case Type::BF16:
    return 2;
  case Type::F32:
  case Type::I32:
  case Type::U32:
    return 4;
  case Type::F64:
  case Type::I64:
  case Type::U64:
    return 8;
  case Type::None:
  case Type::String:
    break;
  }
  return 0;
}

const char *ampc::onnx::nameOf(Type type) {
  static const char *const names[] = {"no type", "f32", "u8",        "i8",         "u16", "i16",
                                      "i32",     "i64", "text",      "bool",       "f16", "f64",
                                      "u32",     "u64", "complex64", "complex128", "bf16"};
  auto number = static_cast<size_t>(type);
  return number < std::size(names) ? names[number] : "a type of 8 bits or less";
}

const Attribute *Node::find(std::string_view wanted) const {
  for (const Attribute &attribute : attributes)
    if (attribute.name == wanted)
      return &attribute;
  return nullptr;
}

namespace {
using RawData = std::vector<std::optional<std::string_view>>;

/// Folder of the model by its path, and with symbolic links resolved.
struct Folders {
  std::string named, real;
};

/// Converts protobuf messages to plain structures. Raw bytes stay in the message.
class Reader {
public:
  /// `raw`: raw data stripped from the graph's initializers, if any.
  Reader(Model &model, Folders folders, RawData raw = {})
      : model(model), folders(std::move(folders)), raw(std::move(raw)) {}

  void read(const ::onnx::ModelProto &from);

private:
  Tensor tensor(const ::onnx::TensorProto &from, std::optional<std::string_view> bytes = {});
  void placeBytes(const ::onnx::TensorProto &from, std::optional<std::string_view> bytes,
                  Tensor &to);
  void placeNibbles(const ::onnx::TensorProto &from, std::optional<std::string_view> bytes,
                    Tensor &to);
  void placeExternal(const ::onnx::TensorProto &from, Tensor &to);
  template <typename To, typename List> void convert(const List &list, Tensor &to);
  Attribute attribute(const ::onnx::AttributeProto &from, int depth);
  Node node(const ::onnx::NodeProto &from, int depth);
  Graph graph(const ::onnx::GraphProto &from, int depth);
  Function function(const ::onnx::FunctionProto &from);

  Model &model;
  Folders folders;
  RawData raw;
  std::map<std::string, ampc::Mapping> files;
};
} // namespace

/// Number of elements; -1 for invalid or too large sizes.
static int64_t countOf(const std::vector<int64_t> &dims) {
  int64_t count = 1;
  for (int64_t size : dims)
    if (size < 0 || __builtin_mul_overflow(count, size, &count))
      return -1;
  return count > (int64_t(1) << 40) ? -1 : count;
}

/// Converts numbers that protobuf stores in a wider type, e.g. f16 bits in int32.
template <typename To, typename List> void Reader::convert(const List &list, Tensor &to) {
  if (list.size() != to.count) {
    to.fault = "expected " + std::to_string(to.count) + " elements, but got " +
               std::to_string(list.size());
    return;
  }
  auto numbers = std::make_shared<std::vector<To>>(list.begin(), list.end());
  to.data = reinterpret_cast<const char *>(numbers->data());
  model.owners.push_back(numbers);
}

static std::string folderOf(const std::string &path) { return path.substr(0, path.rfind('/') + 1); }

void Reader::placeExternal(const ::onnx::TensorProto &from, Tensor &to) {
  std::string location;
  int64_t offset = 0, length = to.bytes();
  for (const auto &entry : from.external_data()) {
    if (entry.key() == "location")
      location = entry.value();
    if (entry.key() == "offset")
      offset = std::strtoll(entry.value().c_str(), nullptr, 10);
    if (entry.key() == "length")
      length = std::strtoll(entry.value().c_str(), nullptr, 10);
  }
  // A model may refer to files in its own folder only.
  if (location.empty() || location.front() == '/' || location.find("..") != std::string::npos) {
    to.fault = "expected data in a file in the model's folder, but got '" + location + "'";
    return;
  }
  auto found = files.find(location);
  if (found == files.end()) {
    std::string error;
    std::string path = folders.named + location;
    std::string real = ampc::realPath(path);
    if (!real.empty() && !ampc::isInside(real, ampc::realPath(folders.named)) &&
        !ampc::isInside(real, folders.real)) {
      to.fault = "expected data in a file in the model's folder, but got '" + location +
                 "', a link to " + real;
      return;
    }
    auto mapped = ampc::mapFile(path, error);
    if (!mapped) {
      if (real.empty())
        to.missingFile = location;
      to.fault = error;
      return;
    }
    model.owners.push_back(mapped->owner);
    found = files.emplace(location, *mapped).first;
  }
  const ampc::Mapping &file = found->second;
  if (length != to.bytes() || offset < 0 || offset > file.bytes || length > file.bytes - offset) {
    to.fault = "expected " + std::to_string(to.bytes()) + " bytes at " + std::to_string(offset) +
               " of " + location + ", but got " + std::to_string(length) + " in a file of " +
               std::to_string(file.bytes);
    return;
  }
  to.data = file.data + offset;
}

void Reader::placeBytes(const ::onnx::TensorProto &from, std::optional<std::string_view> bytes,
                        Tensor &to) {
  if (from.data_location() == ::onnx::TensorProto::EXTERNAL)
    return placeExternal(from, to);
  if (from.has_raw_data())
    bytes = from.raw_data();
  if (bytes) {
    if (int64_t(bytes->size()) != to.bytes())
      to.fault = "expected " + std::to_string(to.bytes()) + " bytes, but got " +
                 std::to_string(bytes->size());
    else
      to.data = bytes->data();
    return;
  }
  switch (to.type) {
  case Type::F32:
    return convert<float>(from.float_data(), to);
  case Type::F64:
    return convert<double>(from.double_data(), to);
  case Type::I64:
    return convert<int64_t>(from.int64_data(), to);
  case Type::I32:
    return convert<int32_t>(from.int32_data(), to);
  case Type::U32:
    return convert<uint32_t>(from.uint64_data(), to);
  case Type::U64:
    return convert<uint64_t>(from.uint64_data(), to);
  case Type::U8:
  case Type::Bool:
    return convert<uint8_t>(from.int32_data(), to);
  case Type::I8:
    return convert<int8_t>(from.int32_data(), to);
  case Type::U16:
  case Type::F16: // bits
  case Type::BF16:
    return convert<uint16_t>(from.int32_data(), to);
  case Type::I16:
    return convert<int16_t>(from.int32_data(), to);
  case Type::None:
  case Type::String:
    to.fault = std::string("expected numbers, but got elements of ") + nameOf(to.type);
  }
}

// TensorProto.DataType of integers of 4 bits.
static constexpr int unsignedNibble = 21, signedNibble = 22;

/// Widens integers of 4 bits, two in a byte with the first one in the low bits, to 8 bits.
void Reader::placeNibbles(const ::onnx::TensorProto &from, std::optional<std::string_view> bytes,
                          Tensor &to) {
  bool isSigned = from.data_type() == signedNibble;
  to.type = isSigned ? Type::I8 : Type::U8;
  if (from.has_raw_data())
    bytes = from.raw_data();
  int64_t packed = (to.count + 1) / 2;
  int64_t given = bytes ? int64_t(bytes->size()) : from.int32_data_size();
  if (given != packed) {
    to.fault = "expected " + std::to_string(packed) + " bytes in the file, but got " +
               std::to_string(given);
    return;
  }
  auto numbers = std::make_shared<std::vector<int8_t>>(size_t(to.count));
  for (int64_t i = 0; i < to.count; ++i) {
    int pair = bytes ? (*bytes)[size_t(i / 2)] : from.int32_data(int(i / 2));
    int number = (pair >> (i % 2 * 4)) & 15;
    (*numbers)[size_t(i)] = int8_t(isSigned && number > 7 ? number - 16 : number);
  }
  to.data = reinterpret_cast<const char *>(numbers->data());
  model.owners.push_back(numbers);
}

Tensor Reader::tensor(const ::onnx::TensorProto &from, std::optional<std::string_view> bytes) {
  Tensor to;
  to.name = from.name();
  to.type = static_cast<Type>(from.data_type());
  to.dims.assign(from.dims().begin(), from.dims().end());
  to.count = countOf(to.dims);
  if (to.count < 0) {
    to.count = 0;
    to.fault = "expected sizes from 0 on and at most 2^40 elements";
  } else if (from.data_type() == unsignedNibble || from.data_type() == signedNibble) {
    placeNibbles(from, bytes, to);
  } else if (!bytesOf(to.type)) {
    to.fault =
        std::string("expected numbers of 8 bits or more, but got elements of ") + nameOf(to.type);
  } else {
    placeBytes(from, bytes, to);
  }
  return to;
}

Attribute Reader::attribute(const ::onnx::AttributeProto &from, int depth) {
  Attribute to;
  to.name = from.name();
  to.refersTo = from.ref_attr_name();
  switch (from.type()) {
  case ::onnx::AttributeProto::FLOAT:
    to.kind = Attribute::Real;
    to.real = from.f();
    break;
  case ::onnx::AttributeProto::INT:
    to.kind = Attribute::Int;
    to.integer = from.i();
    break;
  case ::onnx::AttributeProto::STRING:
    to.kind = Attribute::Text;
    to.text = from.s();
    break;
  case ::onnx::AttributeProto::TENSOR:
    to.kind = Attribute::Tensor;
    to.tensor = tensor(from.t());
    break;
  case ::onnx::AttributeProto::GRAPH:
    to.kind = Attribute::Graph;
    to.graph = std::make_shared<Graph>(graph(from.g(), depth + 1));
    break;
  case ::onnx::AttributeProto::FLOATS:
    to.kind = Attribute::Reals;
    to.reals.assign(from.floats().begin(), from.floats().end());
    break;
  case ::onnx::AttributeProto::INTS:
    to.kind = Attribute::Ints;
    to.ints.assign(from.ints().begin(), from.ints().end());
    break;
  case ::onnx::AttributeProto::STRINGS:
    to.kind = Attribute::Texts;
    to.texts.assign(from.strings().begin(), from.strings().end());
    break;
  default:
    to.kind = to.refersTo.empty() ? Attribute::Other : Attribute::None;
  }
  return to;
}

/// ONNX's own domain has two names.
static std::string domainOf(const std::string &name) { return name == "ai.onnx" ? "" : name; }

Node Reader::node(const ::onnx::NodeProto &from, int depth) {
  Node to;
  to.name = from.name();
  to.op = from.op_type();
  to.domain = domainOf(from.domain());
  to.inputs.assign(from.input().begin(), from.input().end());
  to.outputs.assign(from.output().begin(), from.output().end());
  for (const auto &each : from.attribute())
    to.attributes.push_back(attribute(each, depth));
  return to;
}

static ValueInfo valueInfo(const ::onnx::ValueInfoProto &from) {
  ValueInfo to;
  to.name = from.name();
  if (!from.type().has_tensor_type())
    return to;
  const auto &type = from.type().tensor_type();
  to.type = static_cast<Type>(type.elem_type());
  to.hasShape = type.has_shape();
  for (const auto &dim : type.shape().dim()) {
    Dim &size = to.dims.emplace_back();
    if (dim.has_dim_value())
      size.size = dim.dim_value();
    else if (dim.has_dim_param())
      size.symbol = dim.dim_param();
  }
  return to;
}

Graph Reader::graph(const ::onnx::GraphProto &from, int depth) {
  Graph to;
  to.name = from.name();
  if (depth > 20)
    return to;
  for (const auto &each : from.node())
    to.nodes.push_back(node(each, depth));
  for (int i = 0; i < from.initializer_size(); ++i)
    to.initializers.push_back(tensor(
        from.initializer(i), depth == 0 && size_t(i) < raw.size() ? raw[size_t(i)] : std::nullopt));
  for (const auto &each : from.sparse_initializer()) {
    Tensor &sparse = to.initializers.emplace_back();
    sparse.name = each.values().name();
    sparse.fault = "expected a dense tensor, but got a sparse one";
  }
  for (const auto &each : from.input())
    to.inputs.push_back(valueInfo(each));
  for (const auto &each : from.output())
    to.outputs.push_back(valueInfo(each));
  return to;
}

Function Reader::function(const ::onnx::FunctionProto &from) {
  Function to;
  to.name = from.name();
  to.domain = domainOf(from.domain());
  to.inputs.assign(from.input().begin(), from.input().end());
  to.outputs.assign(from.output().begin(), from.output().end());
  for (const auto &each : from.node())
    to.nodes.push_back(node(each, 0));
  return to;
}

void Reader::read(const ::onnx::ModelProto &from) {
  model.producer = from.producer_name();
  for (const auto &each : from.opset_import())
    model.opsets[domainOf(each.domain())] = each.version();
  model.graph = graph(from.graph(), 0);
  for (const auto &each : from.functions())
    model.functions.push_back(function(each));
}

static std::shared_ptr<::onnx::ModelProto> parse(std::string_view bytes) {
  auto proto = std::make_shared<::onnx::ModelProto>();
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const uint8_t *>(bytes.data()),
                                                int(bytes.size()));
  stream.SetTotalBytesLimit(std::numeric_limits<int>::max());
  bool isRead = proto->ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
  return isRead && proto->has_graph() ? proto : nullptr;
}

/// Decodes a model; with an owner of the bytes, the tensors' data stays in the bytes.
static std::optional<Model> read(std::string_view bytes, Folders folders,
                                 const std::shared_ptr<void> &owner, std::string &error) {
  if (bytes.size() > size_t(std::numeric_limits<int>::max())) {
    error = "expected at most 2 GiB, with larger tensors in files beside the model";
    return std::nullopt;
  }
  auto stripped = owner ? withoutRaw(bytes) : std::nullopt;
  auto proto = parse(stripped ? stripped->bytes : bytes);
  if (!proto) {
    error = "expected a model in ONNX's format, but the file is none or not complete";
    return std::nullopt;
  }
  Model model;
  Reader(model, std::move(folders), stripped ? std::move(stripped->raw) : RawData()).read(*proto);
  ExporterNotes notes = exporterNotes(bytes);
  for (Tensor &tensor : model.graph.initializers)
    if (auto found = notes.computedFrom.find(tensor.name); found != notes.computedFrom.end())
      tensor.computedFrom = found->second;
  for (size_t i = 0; i < std::min(model.graph.nodes.size(), notes.sources.size()); ++i) {
    model.graph.nodes[i].source = std::move(notes.sources[i].op);
    model.graph.nodes[i].reads = std::move(notes.sources[i].reads);
  }
  model.graph.parameters = std::move(notes.parameters);
  model.graph.others = std::move(notes.others);
  model.owners.push_back(proto);
  model.owners.push_back(owner);
  return model;
}

std::optional<Model> ampc::onnx::readModel(const char *data, size_t bytes,
                                           const std::string &folder, std::string &error) {
  return read({data, bytes}, {folder.empty() ? "" : folder + "/", ""}, nullptr, error);
}

std::optional<Model> ampc::onnx::readModel(const std::string &path, std::string &error) {
  auto file = ampc::mapFile(path, error);
  if (!file) {
    error.erase(0, path.size() + 2); // callers name the file
    return std::nullopt;
  }
  return read({file->data, size_t(file->bytes)}, {folderOf(path), folderOf(ampc::realPath(path))},
              file->owner, error);
}
