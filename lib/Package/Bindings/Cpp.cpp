// NAME.hpp: C++17 class around NAME.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Embedded.h"
#include "ampc/Support/Escape.h"
#include "lib/Package/Bindings/Bindings.h"
#include "lib/Package/Mirrors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

AMPC_EMBEDDED(commonCpp)
using namespace ampc;

/// Names of the class, of helpers and of used entities, which no program may have.
static constexpr StringLiteral words =
    "Model Workspace ok error handle finish refuse find message_ state_ Status Options Span detail "
    "std ampc_status ampc_options ampc_train_out";
/// Names next to the model's namespace, or used inside.
static constexpr StringLiteral shared = "Span Status Error Options detail throwing returning std";

namespace {
class CppWriter {
public:
  CppWriter(const ModelInfo &model, raw_ostream &os)
      : model(model), name(model.name), space(NameScope(shared).add(name)), os(os), methods(words) {
  }
  void write();

private:
  void writeStruct(StringRef title, ArrayRef<OperandInfo> operands, bool outputs,
                   StringRef more = "");
  void writeStructs(const CallInfo &call, StringRef method);
  void writeNumbers(const CallInfo &call, StringRef method);
  void writeMethod(const CallInfo &call, StringRef method);
  void writeBody(const CallInfo &call, StringRef method, bool besides);
  void writeClass();

  const ModelInfo &model;
  const std::string &name;
  std::string space; ///< the namespace
  raw_ostream &os;
  NameScope methods;
};
} // namespace

static NameScope fieldScope() { return NameScope("lr_factor seed Span"); }

/// `more`: fields after the operands.
void CppWriter::writeStruct(StringRef title, ArrayRef<OperandInfo> operands, bool outputs,
                            StringRef more) {
  os << "struct " << title << " {\n";
  for (const OperandInfo &operand : operands)
    if (operand.output == outputs)
      os << "  Span<" << (outputs ? "" : "const ") << cTypeOf(operand.tensor->dtype) << "> "
         << operand.name << "; ///< " << inComment(operand.field->doc) << "\n";
  os << more << "};\n";
}

void CppWriter::writeStructs(const CallInfo &call, StringRef method) {
  std::vector<OperandInfo> operands = operandsOf(call, fieldScope());
  os << "\n";
  writeStruct((method + "_in").str(), operands, false,
              call.trains  ? "  float lr_factor = 1; ///< factor on the learning rate\n"
              : call.draws ? "  std::uint64_t seed = 0; ///< of random numbers; 0: numbers of the "
                             "state, which repeat until the next step\n"
                           : "");
  if (!call.trains)
    writeStruct((method + "_out").str(), operands, true);
  writeNumbers(call, method);
}

/// Struct of the named numbers that a step reports next to the loss.
void CppWriter::writeNumbers(const CallInfo &call, StringRef method) {
  ArrayRef<TensorInfo> numbers = numbersOf(*call.program);
  if (numbers.empty())
    return;
  std::string title = (method + "_numbers").str();
  NameScope members("report ampc_train_out " + title);
  os << "/// Numbers that " << method
     << " reports with the loss; 0 where the step did not run.\nstruct " << title << " {\n";
  std::string copies;
  for (const TensorInfo &number : numbers) {
    std::string member = members.add(number.field);
    os << "  double " << member << " = 0;\n";
    copies += "      " + member + " = report.numbers[::" + name + "_" + call.program->name +
              "_number_" + number.field + "];\n";
  }
  os << "  explicit " << title << "(const ampc_train_out &report) {\n    if (report.numbers) {\n"
     << copies << "    }\n  }\n};\n";
}

/// `besides`: takes a workspace, so the call may run concurrently with other calls.
void CppWriter::writeBody(const CallInfo &call, StringRef method, bool besides) {
  const ProgramInfo &program = *call.program;
  std::string prefix = name + "_" + program.name;
  if (besides) // the state's own memory serves a single call at a time
    os << "    if (!workspace.ok())\n      return workspace.finish(AMPC_E_MEMORY);\n";
  os << "    std::uint32_t rows = 0;\n    std::string message;\n"
     << "    if (ampc_status status = detail::fit(\"" << program.name << "\", " << program.batch
     << ", {";
  std::vector<OperandInfo> operands = operandsOf(call, fieldScope());
  interleave(
      operands, os,
      [&](const OperandInfo &operand) {
        const TensorInfo &tensor = *operand.tensor;
        int64_t elements = 1;
        for (int64_t dim : tensor.dims)
          elements *= dim;
        os << "{\"" << operand.name << "\", " << (operand.output ? "out." : "in.") << operand.name
           << ".size(), " << (tensor.batched ? elements / program.batch : elements) << ", "
           << (tensor.batched ? "true" : "false") << ", " << (operand.output ? "true" : "false")
           << "}";
      },
      ",\n        ");
  os << "}, rows, message))\n      return "
     << (besides ? "workspace.refuse(status, message);\n" : "refuse(status, std::move(message));\n")
     << "    ::" << prefix << "_in arguments = {};\n    arguments.size = sizeof arguments;\n"
     << "    arguments.valid = rows;\n";
  if (call.trains)
    os << "    if (ampc_status status = detail::checkRate(\"" << program.name
       << "\", in.lr_factor, message))\n      return refuse(status, std::move(message));\n"
       << "    arguments.lr_factor = in.lr_factor;\n";
  if (call.draws)
    os << "    arguments.seed = in.seed;\n";
  if (besides)
    os << "    arguments.workspace = workspace.clear();\n";
  for (const OperandInfo &operand : operands)
    if (!operand.output)
      os << "    arguments." << operand.field->name << " = in." << operand.name << ".data();\n";
  if (call.trains) {
    os << "    ampc_train_out unread = {};\n    ampc_train_out &results = out ? *out : unread;\n";
  } else {
    os << "    ::" << prefix << "_out results = {};\n";
    for (const OperandInfo &operand : operands)
      if (operand.output)
        os << "    results." << operand.field->name << " = out." << operand.name << ".data();\n";
  }
  os << "    results.size = sizeof results;\n    return " << (besides ? "workspace." : "")
     << "finish(::" << prefix << "(state_, &arguments, &results));\n";
}

void CppWriter::writeMethod(const CallInfo &call, StringRef method) {
  StringRef doc = StringRef(call.doc).split('\n').first;
  os << "\n  /// " << inComment(call.trains ? doc.split(" `out`").first : doc) << "\n";
  bool reads = call.trains || call.draws ||
               any_of(operandsOf(call, fieldScope()),
                      [](const OperandInfo &operand) { return !operand.output; });
  std::string parameters =
      (method + "(const " + method + (reads ? "_in &in" : "_in &") +
       (call.trains ? ", ampc_train_out *out = nullptr" : ", const " + method + "_out &out"))
          .str();
  os << "  Status " << parameters << ") {\n";
  writeBody(call, method, false);
  os << "  }\n";
  if (call.trains)
    return;
  os << "  /// May overlap other calls with a workspace; a message goes to the workspace.\n"
     << "  Status " << parameters << ", Workspace &workspace) const {\n";
  writeBody(call, method, true);
  os << "  }\n";
}

static constexpr char workspaceClass[] = R"(
/// Memory of concurrent calls of eval and exports: a workspace for each thread.
class Workspace {
public:
  Workspace() : room_(::@_workspace_bytes()) {}
  bool ok() const { return room_.get(); }
  /// Error message of the last call with this workspace.
  const char *error() const {
    return !ok() ? "no memory for a workspace" : message_.empty() ? static_cast<const char *>(room_.get()) : message_.c_str();
  }

private:
  friend class Model;
  void *clear() {
    message_.clear();
    room_.clear();
    return room_.get();
  }
  Status refuse(ampc_status code, std::string &message) {
    message_ = std::move(message);
    return detail::finish(code, error());
  }
  Status finish(ampc_status code) { return detail::finish(code, error()); }

  detail::Room room_;
  std::string message_;
};
)";

static constexpr char classHead[] = R"(
/// A training state of the model: parameters, moments, counters, memory and threads.
class Model {
public:
  /// Without exceptions, ok() says whether there is a state now.
  explicit Model(ampc_options options = Options()) {
    char message[512] = "";
    if (!options.error) {
      options.error = message;
      options.error_bytes = sizeof message;
    }
    if (ampc_status status = ::@_create(&options, &state_))
      static_cast<void>(refuse(status, options.error));
  }
  ~Model() { ::@_destroy(state_); }
  Model(Model &&other) noexcept
      : state_(std::exchange(other.state_, nullptr)), message_(std::move(other.message_)) {}
  Model &operator=(Model &&other) noexcept {
    std::swap(state_, other.state_);
    std::swap(message_, other.message_);
    return *this;
  }
  bool ok() const { return state_; }
  /// Error message of the last call.
  const char *error() const { return message_.c_str(); }
  /// For the functions of @.h.
  ::@_state *handle() const { return state_; }
  const char *tier() const { return ::@_tier(state_); }

  Status save(const std::string &path) { return finish(::@_save(state_, path.c_str())); }
  /// `flags`: AMPC_LOAD_ALL, AMPC_LOAD_WEIGHTS or AMPC_LOAD_AVERAGES.
  Status load(const std::string &path, std::uint32_t flags = AMPC_LOAD_ALL) {
    return finish(::@_load(state_, path.c_str(), flags));
  }
  /// Copies a tensor of the state into `values`, which has the size and type of the tensor.
  template <typename Container> Status get(const char *tensor, Container &&values) {
    std::int32_t number = find<std::remove_reference_t<decltype(*std::data(values))>>(tensor);
    return number < 0 ? AMPC_E_ARG
                      : finish(::@_get(state_, number, std::data(values),
                                               std::size(values) * sizeof(*std::data(values))));
  }
  /// Copies `values` into a tensor of the state.
  template <typename Container> Status set(const char *tensor, const Container &values) {
    std::int32_t number = find<std::remove_reference_t<decltype(*std::data(values))>>(tensor);
    return number < 0 ? AMPC_E_ARG
                      : finish(::@_set(state_, number, std::data(values),
                                               std::size(values) * sizeof(*std::data(values))));
  }
)";

static constexpr char classTail[] = R"(
private:
  Status finish(ampc_status code) {
    message_ = code < 0 ? ::@_last_error(state_) : "";
    return detail::finish(code, message_.c_str());
  }
  Status refuse(ampc_status code, std::string message) {
    message_ = std::move(message);
    return detail::finish(code, message_.c_str());
  }
  /// The number of a tensor with elements of type T, or -1.
  template <typename T> std::int32_t find(const char *tensor) {
    std::int32_t number = ::@_find_tensor(tensor);
    if (number >= 0 && detail::holds<std::remove_const_t<T>>(::@_tensor(number)->dtype))
      return number;
    static_cast<void>(refuse(AMPC_E_ARG, std::string(number < 0 ? "the model has no tensor " : "expected values of the type of ") + tensor));
    return -1;
  }

  ::@_state *state_ = nullptr;
  std::string message_;
};
)";

/// Replaces @ by the model's name. Example: "::@_create" -> "::line_create".
static std::string withName(StringRef text, StringRef name) {
  std::string result = text.str();
  for (size_t at = 0; (at = result.find('@', at)) != std::string::npos; at += name.size())
    result.replace(at, 1, name.str());
  return result;
}

void CppWriter::writeClass() {
  std::vector<CallInfo> calls = callsOf(model);
  std::vector<std::string> names;
  for (const CallInfo &call : calls)
    names.push_back(methods.add(call.program->name));
  for (auto [call, method] : zip(calls, names))
    writeStructs(call, method);
  os << withName(workspaceClass, name) << withName(classHead, name);
  for (auto [call, method] : zip(calls, names))
    writeMethod(call, method);
  os << withName(classTail, name);
}

void CppWriter::write() {
  os << "// C++17 interface of the compiled model " << name << ", written by ampc around " << name
     << ".h: ampc::" << space << "::Model.\n// Link with lib" << name << ".a and -pthread.\n"
     << "#ifndef AMPC_MODEL_" << name << "_HPP\n#define AMPC_MODEL_" << name
     << "_HPP\n\n#include \"" << name << ".h\"\n\n"
     << commonCppText() << "\nnamespace ampc {\ninline namespace AMPC_MODE {\nnamespace " << space
     << " {";
  writeClass();
  os << "} // namespace " << space << "\n} // namespace AMPC_MODE\n} // namespace ampc\n#endif\n";
}

std::string ampc::writeCppBinding(const ModelInfo &model) {
  std::string text;
  raw_string_ostream os(text);
  CppWriter(model, os).write();
  return text;
}
