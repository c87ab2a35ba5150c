// Ops and attributes of the dialects, read from TableGen records.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Definitions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace ampc::fuzz;

namespace {
class Records {
public:
  explicit Records(const json::Object &all) : all(all) {}
  const json::Object &get(StringRef name) const { return *all.getObject(name); }
  /// Names of records of a class.
  std::vector<std::string> instances(StringRef name) const {
    std::vector<std::string> names;
    for (const json::Value &value : *all.getObject("!instanceof")->getArray(name))
      names.push_back(value.getAsString()->str());
    return names;
  }
  static bool isA(const json::Object &record, StringRef name) {
    return llvm::any_of(*record.getArray("!superclasses"),
                        [&](const json::Value &value) { return value.getAsString() == name; });
  }
  static StringRef text(const json::Object &record, StringRef field) {
    return record.getString(field).value_or("");
  }
  static StringRef reference(const json::Object &record, StringRef field) {
    const json::Object *value = record.getObject(field);
    return value ? text(*value, "def") : "";
  }
  /// Calls see(record, name of the argument) for the arguments of a dag.
  template <typename See> void forDag(const json::Object &record, StringRef field, See see) const {
    for (const json::Value &pair : *record.getObject(field)->getArray("args")) {
      const json::Array &entry = *pair.getAsArray();
      const json::Object *type = entry[0].getAsObject(); // else a C++ type
      see(type ? text(*type, "def") : *entry[0].getAsString(), entry[1].getAsString().value_or(""));
    }
  }

  Argument argument(StringRef constraint, StringRef name) const;
  bool hasTrait(const json::Object &op, StringRef trait) const {
    return llvm::any_of(*op.getArray("traits"), [&](const json::Value &value) {
      return text(*value.getAsObject(), "def") == trait;
    });
  }
  bool hasInterface(const json::Object &op, StringRef interface) const {
    return llvm::any_of(*op.getArray("traits"), [&](const json::Value &value) {
      return text(get(text(*value.getAsObject(), "def")), "cppInterfaceName") == interface;
    });
  }
  StringRef dialectOf(const json::Object &record, StringRef field) const {
    return text(get(reference(record, field)), "name");
  }
  /// Name of an op, with the dialect. Example: train.matmul.
  std::string nameOf(const json::Object &op) const {
    return (dialectOf(op, "opDialect") + "." + text(op, "opName")).str();
  }
  AttrDefinition attribute(const json::Object &record, StringRef dialect) const;

private:
  const json::Object &all;
};
} // namespace

Argument Records::argument(StringRef constraint, StringRef name) const {
  Argument result;
  result.name = name.str();
  const json::Object *record = &get(constraint);
  result.isOperand = isA(*record, "TypeConstraint");
  result.isVariadic = isA(*record, "Variadic");
  result.isOptional = isA(*record, "Optional") || isA(*record, "OptionalAttr") ||
                      isA(*record, "DefaultValuedAttr") ||
                      isA(*record, "DefaultValuedOptionalAttr");
  for (StringRef inner : {"baseType", "baseAttr"})
    if (result.isOptional || result.isVariadic)
      if (StringRef base = reference(*record, inner); !base.empty())
        constraint = base, record = &get(base);
  result.constraint = constraint.str();
  result.summary = text(*record, "summary").str();
  if (isA(*record, "EnumAttr"))
    for (const json::Value &value : *get(reference(*record, "enum")).getArray("enumerants"))
      result.cases.push_back(("#" + dialectOf(*record, "dialect") + "<" +
                              text(*record, "mnemonic") + " " +
                              text(get(text(*value.getAsObject(), "def")), "str") + ">")
                                 .str());
  else if (isA(*record, "EnumAttrInfo")) // a number in generic form
    for (const json::Value &value : *record->getArray("enumerants"))
      result.cases.push_back(
          std::to_string(*get(text(*value.getAsObject(), "def")).getInteger("value")) + " : i32");
  return result;
}

AttrDefinition Records::attribute(const json::Object &record, StringRef dialect) const {
  AttrDefinition result;
  result.name = (dialect + "." + text(record, "mnemonic")).str();
  result.format = text(record, "assemblyFormat").str();
  if (record.getObject("parameters"))
    forDag(record, "parameters", [&](StringRef type, StringRef name) {
      if (!all.get(type)) {
        result.parameters.push_back({name.str(), type.str(), false});
        return;
      }
      const json::Object &parameter = get(type);
      result.parameters.push_back(
          {name.str(), text(parameter, "cppType").str(), !text(parameter, "defaultValue").empty()});
    });
  return result;
}

/// Shapes of `tensor<4x8xf32>` and lists such as `strides [1, 1]`, in their order.
static void readExample(StringRef text, OpDefinition &op) {
  for (auto parts = text.split("tensor<"); !parts.second.empty();
       parts = parts.second.split("tensor<")) {
    std::vector<int64_t> shape;
    int64_t extent;
    for (StringRef rest = parts.second; !rest.consumeInteger(10, extent); rest.consume_front("x"))
      shape.push_back(extent);
    op.exampleShapes.push_back(shape);
  }
  for (auto parts = text.split('['); !parts.second.empty(); parts = parts.second.split('[')) {
    StringRef before = parts.first.rtrim();
    size_t count = parts.second.split(']').first.count(',') + 1;
    op.exampleLists.push_back(
        {before.take_back(before.size() - before.rfind(' ') - 1).str(), count});
  }
}

/// Whether random models contain the op: ops from tensors to tensors, for which precision policies
/// decide. The generator handles all other ops separately.
static bool isTensorOp(const Records &records, const json::Object &op) {
  bool hasResults = !op.getObject("results")->getArray("args")->empty();
  return hasResults && records.hasTrait(op, "Pure") && !records.hasTrait(op, "MadeByPasses") &&
         records.hasInterface(op, "PrecisionOpInterface");
}

static OpDefinition readOp(const Records &records, const json::Object &record) {
  OpDefinition op;
  op.name = records.nameOf(record);
  records.forDag(record, "arguments", [&](StringRef constraint, StringRef argument) {
    op.arguments.push_back(records.argument(constraint, argument));
  });
  records.forDag(record, "results", [&](StringRef constraint, StringRef argument) {
    Argument type = records.argument(constraint, argument);
    op.hasOptionalResult |= type.isOptional;
    op.resultSummaries.push_back(type.summary);
  });
  readExample(Records::text(record, "example"), op);
  return op;
}

static void readAttributes(const Records &records, Definitions &result) {
  for (const std::string &name : records.instances("AttrDef")) {
    const json::Object &record = records.get(name);
    auto addTo = [&](std::vector<AttrDefinition> &list, StringRef dialect) {
      list.push_back(records.attribute(record, dialect));
    };
    if (Records::isA(record, "Train_InitAttr"))
      addTo(result.initialisers, "train");
    if (Records::isA(record, "Train_OptimizerAttr"))
      addTo(result.optimizers, "train");
    if (Records::isA(record, "Train_ScheduleAttr"))
      addTo(result.schedules, "train");
    if (name == "Amp_ScalingAttr")
      addTo(result.scalings, "amp");
  }
}

/// Calls see(records) with the records of a file.
static Error readRecords(StringRef path, function_ref<void(const Records &)> see) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  if (!file)
    return createStringError(file.getError(), "cannot read %s", path.str().c_str());
  Expected<json::Value> parsed = json::parse((*file)->getBuffer());
  if (!parsed)
    return parsed.takeError();
  see(Records(*parsed->getAsObject()));
  return Error::success();
}

Error Definitions::add(StringRef path) {
  return readRecords(path, [&](const Records &records) {
    for (const std::string &name : records.instances("Op")) {
      const json::Object &record = records.get(name);
      bool isKnown = llvm::any_of(
          ops, [&](const OpDefinition &op) { return op.name == records.nameOf(record); });
      if (isTensorOp(records, record) && !isKnown)
        ops.push_back(readOp(records, record));
    }
  });
}

Expected<Definitions> Definitions::read(StringRef path) {
  Definitions result;
  if (Error error = result.add(path))
    return std::move(error);
  if (Error error =
          readRecords(path, [&](const Records &records) { readAttributes(records, result); }))
    return std::move(error);
  return result;
}
