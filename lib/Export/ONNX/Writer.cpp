// Encoder of ONNX's wire format.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/OutputFile.h"
#include "lib/Export/ONNX/Graph.h"
#include "onnx.pb.h"
#include <cstring>

using namespace ampc;
using namespace ampc::exporting;

static int32_t typeOf(Element element) {
  using Type = ::onnx::TensorProto;
  static const int32_t types[] = {Type::FLOAT, Type::DOUBLE, Type::FLOAT16, Type::BFLOAT16,
                                  Type::BOOL,  Type::INT8,   Type::INT16,   Type::INT32,
                                  Type::INT64, Type::UINT8,  Type::UINT16,  Type::UINT32,
                                  Type::UINT64};
  return types[static_cast<int>(element)];
}

static void describe(const Array &array, ::onnx::TensorProto &to) {
  to.set_data_type(typeOf(array.element));
  for (int64_t size : array.dims)
    to.add_dims(size);
}
static void write(const Array &array, ::onnx::TensorProto &to) {
  describe(array, to);
  to.set_raw_data(array.data, size_t(array.bytes()));
}

static void write(const Body &body, ::onnx::GraphProto &to);

namespace {
/// Sets type and value of an attribute; the type follows from the variant's alternative.
struct AttributeWriter {
  ::onnx::AttributeProto &to;

  void operator()(int64_t number) const {
    to.set_type(::onnx::AttributeProto::INT);
    to.set_i(number);
  }
  void operator()(double number) const {
    to.set_type(::onnx::AttributeProto::FLOAT);
    to.set_f(float(number));
  }
  void operator()(const std::string &text) const {
    to.set_type(::onnx::AttributeProto::STRING);
    to.set_s(text);
  }
  void operator()(const std::vector<int64_t> &numbers) const {
    to.set_type(::onnx::AttributeProto::INTS);
    for (int64_t number : numbers)
      to.add_ints(number);
  }
  void operator()(const std::vector<std::string> &texts) const {
    to.set_type(::onnx::AttributeProto::STRINGS);
    for (const std::string &text : texts)
      to.add_strings(text);
  }
  void operator()(const Array &array) const {
    to.set_type(::onnx::AttributeProto::TENSOR);
    write(array, *to.mutable_t());
  }
  void operator()(const std::shared_ptr<Body> &body) const {
    to.set_type(::onnx::AttributeProto::GRAPH);
    write(*body, *to.mutable_g());
  }
};
} // namespace

static void write(const Node &node, ::onnx::NodeProto &to) {
  to.set_op_type(node.op);
  to.set_name(node.name);
  for (const std::string &input : node.inputs)
    to.add_input(input);
  for (const std::string &output : node.outputs)
    to.add_output(output);
  for (const NodeAttribute &attribute : node.attributes) {
    ::onnx::AttributeProto &written = *to.add_attribute();
    written.set_name(attribute.name);
    std::visit(AttributeWriter{written}, attribute.value);
  }
}

static void write(const ValueInfo &value, ::onnx::ValueInfoProto &to) {
  to.set_name(value.name);
  auto &type = *to.mutable_type()->mutable_tensor_type();
  type.set_elem_type(typeOf(value.element));
  auto &shape = *type.mutable_shape(); // a scalar has an empty shape, not none
  for (const Dim &dim : value.dims) {
    auto &written = *shape.add_dim();
    if (!dim.symbol.empty())
      written.set_dim_param(dim.symbol);
    else if (dim.size >= 0)
      written.set_dim_value(dim.size);
  }
}

static void write(const Body &body, ::onnx::GraphProto &to) {
  to.set_name("body");
  for (const Node &node : body.nodes)
    write(node, *to.add_node());
  for (const ValueInfo &input : body.inputs)
    write(input, *to.add_input());
  for (const ValueInfo &output : body.outputs)
    write(output, *to.add_output());
}

static void entry(::onnx::TensorProto &to, const char *key, const std::string &value) {
  auto &added = *to.add_external_data();
  added.set_key(key);
  added.set_value(value);
}

static constexpr int64_t alignment = 64;
/// Smallest external array in bytes. Runtimes map external data; shapes and other small tensors are
/// needed while the model is parsed.
static constexpr int64_t leastBeside = 1024;

static void writeBeside(const Array &array, const std::string &file, int64_t offset,
                        ::onnx::TensorProto &to) {
  describe(array, to);
  to.set_data_location(::onnx::TensorProto::EXTERNAL);
  entry(to, "location", file);
  entry(to, "offset", std::to_string(offset));
  entry(to, "length", std::to_string(array.bytes()));
}

std::string exporting::encode(const Model &model, const std::string &dataFile,
                              std::vector<Array> &beside) {
  ::onnx::ModelProto file;
  // First IR version that knows the opset.
  file.set_ir_version(model.opset < 19 ? 8 : model.opset < 21 ? 9 : 10);
  file.set_producer_name("ampc");
  file.set_producer_version(model.producerVersion);
  file.add_opset_import()->set_version(model.opset);
  for (const auto &[key, value] : model.metadata) {
    auto &added = *file.add_metadata_props();
    added.set_key(key);
    added.set_value(value);
  }
  ::onnx::GraphProto &graph = *file.mutable_graph();
  graph.set_name(model.name);
  for (const Node &node : model.nodes)
    write(node, *graph.add_node());
  int64_t offset = 0;
  for (const NamedArray &initializer : model.initializers) {
    ::onnx::TensorProto &to = *graph.add_initializer();
    to.set_name(initializer.name);
    const Array &array = initializer.array;
    if (dataFile.empty() || array.bytes() < leastBeside) {
      write(array, to);
      continue;
    }
    writeBeside(array, dataFile, offset, to);
    beside.push_back(array);
    offset += (array.bytes() + alignment - 1) / alignment * alignment;
  }
  for (const ValueInfo &input : model.inputs)
    write(input, *graph.add_input());
  for (const ValueInfo &output : model.outputs)
    write(output, *graph.add_output());
  return file.SerializeAsString();
}

static int writeTo(OutputFile &file, const std::vector<Array> &data) {
  static const char zeros[alignment] = {};
  int failure = 0;
  for (const Array &array : data) {
    size_t bytes = size_t(array.bytes()), rest = (alignment - bytes % alignment) % alignment;
    if (!failure)
      failure = file.write(array.data, bytes);
    if (!failure)
      failure = file.write(zeros, rest);
  }
  return failure ? failure : file.close();
}

bool exporting::writeData(const std::string &path, const std::vector<Array> &data,
                          std::string &error) {
  OutputFile file;
  int failure = file.open(path);
  if (!failure)
    failure = writeTo(file, data);
  if (failure)
    error = path + ": " + std::strerror(failure);
  return !failure;
}
