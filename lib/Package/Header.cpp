// NAME.h: C interface of a model, in C99.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Embedded.h"
#include "ampc/Support/Escape.h"
#include "ampc/Support/GradientNames.h"
#include "lib/Package/Interface.h"
#include "lib/Package/Mirrors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

AMPC_EMBEDDED(commonHeader)
using namespace ampc;

namespace {
class HeaderWriter {
public:
  HeaderWriter(const ModelInfo &model, raw_ostream &os) : model(model), name(model.name), os(os) {}
  void write(ArrayRef<std::string> functions);

private:
  void writeSymbols(ArrayRef<std::string> functions);
  void writeFunctions(ArrayRef<FunctionInfo> functions);
  void writeFunction(StringRef function, CType result, ArrayRef<ParameterInfo> parameters,
                     StringRef doc);
  void writeStruct(StringRef title, ArrayRef<FieldInfo> fields);
  void writeCall(const CallInfo &call);
  void writeTensors();

  const ModelInfo &model;
  const std::string &name;
  raw_ostream &os;
};
} // namespace

/// Aliases against mixing: linkers would take the first of two libraries with the same model name
/// for both. Every library exports its functions also under symbols with a hash, which its header
/// uses; the plain names make a second library a duplicate, which fails to link.
void HeaderWriter::writeSymbols(ArrayRef<std::string> functions) {
  os << "\n/* Calls reach the library that was written with this header. With the library of "
        "another model\n   of this name, the program does not link: give one of the models another "
        "name (ampc compile --name). */\n";
  for (const std::string &function : functions)
    os << "#define " << function << " " << symbolForHeader(model, function) << "\n";
}

/// Declaration of `declared` with a type, `of` in place of @. Example: (@_state *, line, s) ->
/// "line_state *s".
static std::string declare(CType type, StringRef of, StringRef declared) {
  auto [before, after] = StringRef(infoOf(type).c).split('@');
  std::string text = before.str();
  if (!after.empty())
    text += (of + after).str();
  return text + (StringRef(text).ends_with("*") ? "" : " ") + declared.str();
}

void HeaderWriter::writeFunction(StringRef function, CType result,
                                 ArrayRef<ParameterInfo> parameters, StringRef doc) {
  if (!doc.empty())
    os << "/* " << doc << " */\n"; // texts of Interface.cpp, of several lines
  os << declare(result, name, name + "_" + function.str() + "(");
  interleaveComma(parameters, os, [&](const ParameterInfo &parameter) {
    bool ofCall = parameter.type == CType::In || parameter.type == CType::Out;
    os << declare(parameter.type, ofCall ? name + "_" + function.str() : name, parameter.name);
  });
  os << (parameters.empty() ? "void);\n" : ");\n");
}

void HeaderWriter::writeFunctions(ArrayRef<FunctionInfo> functions) {
  for (const FunctionInfo &function : functions)
    writeFunction(function.name, function.result, function.parameters, function.doc);
}

void HeaderWriter::writeStruct(StringRef title, ArrayRef<FieldInfo> fields) {
  auto declaration = [&](const FieldInfo &field) {
    return declare(field.type, field.tensor ? cTypeOf(field.tensor->dtype) : "", field.name);
  };
  size_t width = 0;
  for (const FieldInfo &field : fields)
    width = std::max(width, declaration(field).size());
  os << "typedef struct {\n";
  for (const FieldInfo &field : fields) {
    std::string declared = declaration(field);
    os << "  " << declared << ";";
    if (!field.doc.empty())
      os.indent(width - declared.size()) << " /* " << inComment(field.doc) << " */";
    os << "\n";
  }
  os << "} " << title << ";\n";
}

/// Enum with the positions of the named numbers in ampc_train_out.numbers.
static void writeNumberIndices(StringRef prefix, ArrayRef<TensorInfo> numbers, raw_ostream &os) {
  if (numbers.empty())
    return;
  os << "/* Places in ampc_train_out.numbers. */\nenum {\n";
  for (auto [place, number] : enumerate(numbers))
    os << "  " << prefix << "_number_" << number.field << " = " << place << ", /* "
       << inComment(number.name) << " */\n";
  os << "  " << prefix << "_number_count = " << numbers.size() << "\n};\n";
}

void HeaderWriter::writeCall(const CallInfo &call) {
  std::string prefix = name + "_" + call.program->name;
  os << "/* ---- " << prefix << " ---- */\n";
  writeNumberIndices(prefix, numbersOf(*call.program), os);
  writeStruct(prefix + "_in", call.in);
  if (!call.trains)
    writeStruct(prefix + "_out", call.out);
  writeFunction(call.program->name, CType::Status, call.parameters, call.doc);
  os << "\n";
}

/// Note on a sparse gradient: the rows of the table are listed in another tensor.
static std::string describeRows(const StringMap<size_t> &numbers, const SlotInfo &gradient) {
  auto name = GradientName::of(gradient.tensor.name);
  if (gradient.role != AMPC_ROLE_GRADIENT || !name)
    return "";
  auto number = numbers.find(gradientRowsName(name->step, name->param));
  if (number == numbers.end())
    return "";
  return (", of the rows of " + name->param + " that tensor " + Twine(number->second) +
          " names; behind a -1 there are none")
      .str();
}

/// Range of a knob: "buffer, a knob in [0, 10]".
static std::string describeRange(const SlotInfo &slot) {
  if (slot.range.empty())
    return "";
  std::string text;
  raw_string_ostream(text) << format(", a knob in [%.9g, %.9g]", slot.range[0], slot.range[1]);
  return text;
}

void HeaderWriter::writeTensors() {
  os << "/* ---- Tensors of the state, numbered from 0; without working copies ----\n";
  std::vector<const SlotInfo *> slots = shownSlots(model);
  StringMap<size_t> numbers;
  for (auto [number, slot] : enumerate(slots))
    numbers.try_emplace(slot->tensor.name, number);
  for (auto [number, slot] : enumerate(slots))
    os << inComment(("   " + Twine(number) + "  " + slot->tensor.name + "  " +
                     describe(slot->tensor) + "  " + roleName(slot->role) + describeRange(*slot) +
                     describeRows(numbers, *slot))
                        .str())
       << "\n";
  os << "*/\nstruct DLManagedTensor;\n";
  writeFunctions(tensorFunctions());
}

void HeaderWriter::write(ArrayRef<std::string> functions) {
  std::string guard = "AMPC_MODEL_" + name, hash = "0x" + model.contentHash + "u";
  os << "/* C interface of the compiled model " << name << ", written by ampc. Link with lib"
     << name << ".a and -pthread. */\n"
     << "#ifndef " << guard << "\n#define " << guard << " " << hash << "\n\n"
     << commonHeaderText();
  writeSymbols(functions);
  os << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  os << "/* A training state of the model: parameters, moments, counters, memory and threads. Two "
        "states are independent;\n"
        "   calls on one state must not overlap, except as said at `workspace`. */\n"
        "typedef struct "
     << name << "_state " << name << "_state;\n\n";
  writeFunctions(stateFunctions());
  os << "\n";
  for (const CallInfo &call : callsOf(model))
    writeCall(call);
  writeTensors();
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#elif " << guard << " != " << hash
     << "\n#error \"two compiled models are called " << name
     << ": give one of the models another name (ampc compile --name)\"\n#endif\n";
}

std::string ampc::symbolForHeader(const ModelInfo &model, StringRef function) {
  return (function + "_of_header_" + model.contentHash).str();
}

std::string ampc::writeHeader(const ModelInfo &model, ArrayRef<std::string> functions) {
  std::string text;
  raw_string_ostream os(text);
  HeaderWriter(model, os).write(functions);
  return text;
}
