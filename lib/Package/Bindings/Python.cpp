// NAME.py: Python class around libNAME.so, with NumPy arrays as operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Embedded.h"
#include "ampc/Support/Escape.h"
#include "lib/Package/Bindings/Bindings.h"
#include "lib/Package/Mirrors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

AMPC_EMBEDDED(commonPython)
using namespace ampc;

static constexpr StringLiteral keywords = "False None True and as assert async await break class "
                                          "continue def del elif else except finally "
                                          "for from global if import in is lambda nonlocal not or "
                                          "pass raise return try while with yield ";
/// Members of the class other than the model's programs.
static constexpr StringLiteral members =
    "close tensors view self mro _run _finish _find _state _lock _views";
/// Names of parameters of the generated methods.
static constexpr StringLiteral locals = "self lr_factor seed";

namespace {
class PythonWriter {
public:
  PythonWriter(const ModelInfo &model, raw_ostream &os)
      : model(model), calls(callsOf(model)), os(os) {}
  void write();

private:
  void writeStruct(StringRef title, ArrayRef<std::pair<std::string, CType>> fields);
  void writeCommon();
  void writeFunctions();
  void writeCalls();
  void writeMethod(const CallInfo &call, StringRef method);
  void writeOperands(const CallInfo &call, bool outputs);

  const ModelInfo &model;
  std::vector<CallInfo> calls;
  raw_ostream &os;
};
} // namespace

/// Avoids Python's special names: in a class, "__x__" is reserved and "__x" is mangled. Example:
/// "__x" -> "__x___".
static std::string toPython(StringRef name) {
  std::string spelled = name.str();
  while (name.starts_with("__") && !StringRef(spelled).ends_with("___"))
    spelled += "_";
  return spelled;
}

static std::vector<OperandInfo> operandsOf(const CallInfo &call) {
  return operandsOf(call, NameScope((keywords + locals).str()), toPython);
}

void PythonWriter::writeStruct(StringRef title, ArrayRef<std::pair<std::string, CType>> fields) {
  os << "\n\nclass " << title << "(ctypes.Structure):\n    _fields_ = [";
  interleave(
      fields, os,
      [&](const std::pair<std::string, CType> &field) {
        os << "(\"" << field.first << "\", " << infoOf(field.second).python << ")";
      },
      ",\n                ");
  os << "]\n";
}

void PythonWriter::writeCommon() {
  for (const CommonConstant &constant : commonConstants())
    os << constant.name << " = " << constant.value << "\n";
  for (const CommonStruct &common : commonStructs()) {
    std::vector<std::pair<std::string, CType>> fields;
    for (const CommonField &field : common.fields)
      fields.push_back({field.name, field.type});
    writeStruct(common.name, fields);
  }
  os << "\n\n_NAME, _HASH = \"" << model.name << "\", \"" << model.contentHash << "\"\n_DTYPES = [";
  interleaveComma(seq(AMPC_U8 + 1), os, [&](int dtype) { os << "\"" << dtypeName(dtype) << "\""; });
  os << "]\n_NUMPY = {";
  interleaveComma(seq(AMPC_U8 + 1), os, [&](int dtype) {
    os << "\"" << dtypeName(dtype) << "\": \"" << numpyTypeOf(dtype) << "\"";
  });
  os << "}\n";
}

/// Signatures of the C functions for ctypes.
void PythonWriter::writeFunctions() {
  auto write = [&](StringRef name, CType result, ArrayRef<ParameterInfo> parameters) {
    os << "    \"" << name << "\": (" << infoOf(result).python << ", [";
    interleaveComma(parameters, os,
                    [&](const ParameterInfo &parameter) { os << infoOf(parameter.type).python; });
    os << "]),\n";
  };
  os << "_FUNCTIONS = {\n";
  for (const FunctionInfo &function :
       concat<const FunctionInfo>(stateFunctions(), tensorFunctions()))
    write(function.name, function.result, function.parameters);
  for (const CallInfo &call : calls)
    write(call.program->name, CType::Status, call.parameters);
  os << "}\n";
}

void PythonWriter::writeOperands(const CallInfo &call, bool outputs) {
  os << "(";
  for (const OperandInfo &operand : ::operandsOf(call)) {
    if (operand.output != outputs)
      continue;
    const std::vector<FieldInfo> &fields = outputs ? call.out : call.in;
    os << "\n        _Operand(\"" << operand.name << "\", \""
       << fieldName(*operand.field, operand.field - fields.data()) << "\", \""
       << dtypeName(operand.tensor->dtype) << "\", (";
    for (int64_t dim : operand.tensor->dims)
      os << dim << ", ";
    os << "), " << (operand.tensor->batched ? "True" : "False") << "),";
  }
  os << ")";
}

void PythonWriter::writeCalls() {
  for (const CallInfo &call : calls)
    for (auto &[suffix, fields] : {std::pair(StringRef("_in"), &call.in), {"_out", &call.out}}) {
      if (fields->empty())
        continue;
      std::vector<std::pair<std::string, CType>> typed;
      for (auto [number, field] : enumerate(*fields))
        typed.push_back({fieldName(field, number), field.type});
      writeStruct(("_" + call.program->name + suffix).str(), typed);
    }
  os << "\n\n_CALLS = {\n";
  for (const CallInfo &call : calls) {
    const std::string &name = call.program->name;
    os << "    \"" << name << "\": _Call(" << call.program->batch << ", "
       << (call.trains ? "True" : "False") << ", _" << name << "_in, "
       << (call.trains ? "ampc_train_out" : "_" + name + "_out") << ", ";
    writeOperands(call, false);
    os << ", ";
    writeOperands(call, true);
    os << ", (";
    for (const TensorInfo &number : numbersOf(*call.program))
      os << "\"" << inPythonString(number.name) << "\", ";
    os << ")),\n";
  }
  os << "}\n";
}

void PythonWriter::writeMethod(const CallInfo &call, StringRef method) {
  std::vector<OperandInfo> operands = ::operandsOf(call);
  std::string inputs;
  for (const OperandInfo &operand : operands)
    if (!operand.output)
      inputs += (inputs.empty() ? "" : ", ") + operand.name;
  os << "\n    def " << method << "(self" << (inputs.empty() ? "" : ", " + inputs)
     << (call.trains  ? ", lr_factor=1.0"
         : call.draws ? ", *, seed=0"
                      : "")
     << "):\n        \"\"\""
     << inPythonString(StringRef(call.doc).split('\n').first.split(" `out`").first) << "\n";
  for (const OperandInfo &operand : operands)
    os << "\n        " << (operand.output ? "returns " : "") << operand.name << ": "
       << inPythonString(describe(*operand.tensor, call.program->batch, /*asBits=*/false));
  if (call.trains)
    os << "\n        lr_factor: factor on the learning rate\n        returns an ampc_train_out: "
          "loss, grad_norm, skipped, ...";
  if (call.draws)
    os << "\n        seed: of random numbers; 0: numbers of the state, which repeat until the next "
          "step";
  for (auto [place, number] : enumerate(numbersOf(*call.program)))
    os << (place ? ", " : "\n        and in the field `named`: ") << inPythonString(number.name);
  os << "\"\"\"\n        return self._run(\"" << call.program->name << "\", [" << inputs << "]"
     << (call.trains  ? ", lr_factor"
         : call.draws ? ", seed=seed"
                      : "")
     << ")\n";
}

void PythonWriter::write() {
  os << "\"\"\"Python interface of the compiled model " << model.name
     << ", written by ampc. The module loads lib" << model.name
     << ".so of the same folder, and needs NumPy.\n\n    model = " << model.name
     << ".Model(seed=1)\n\nArrays are of the shapes and types that each method names, or are "
        "converted if only digits are lost. Where the\nfirst dimension is the batch, all arrays of "
        "a call may have fewer rows. Numbers of bf16 are float32 here. A call that fails raises "
        "Error.\"\"\"\n"
     << "import ctypes\nimport os\nimport threading\nimport types\nimport typing\nimport "
        "weakref\n\n"
        "import numpy as np\n\n";
  writeCommon();
  writeFunctions();
  os << commonPythonText();
  writeCalls();
  os << "\n\nclass Model(_Model):\n    \"\"\"A training state of the model: parameters, moments, "
        "counters, memory and threads.\"\"\"\n";
  NameScope methods((keywords + members).str());
  for (const CallInfo &call : calls)
    writeMethod(call, methods.add(toPython(call.program->name)));
}

std::string ampc::writePythonBinding(const ModelInfo &model) {
  std::string text;
  raw_string_ostream os(text);
  PythonWriter(model, os).write();
  return text;
}
