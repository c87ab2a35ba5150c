// The marks that programs, their arguments and their results may have, and of which kind.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/TrainMarks.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;

namespace {
enum class Kind { Text, Count, Positive, Unit, NonFinite, Any };
struct Mark {
  StringRef name;
  Kind kind;
};
} // namespace

static const Mark ofPrograms[] = {
    {"train.role", Kind::Text},        {"train.step", Kind::Text},
    {"train.cname", Kind::Text},       {"train.batch", Kind::Positive},
    {"train.optimizer", Kind::Any},    {"train.groups", Kind::Any},
    {"train.short_batch", Kind::Unit}, {"train.nonfinite", Kind::NonFinite}};
static const Mark ofArguments[] = {
    {"train.slot", Kind::Text},       {"train.name", Kind::Text},
    {"train.control", Kind::Text},    {"train.batched", Kind::Unit},
    {"train.part", Kind::Count},      {"train.label_limit", Kind::Positive},
    {"train.label_ignore", Kind::Any}};
static const Mark ofResults[] = {{"train.slot", Kind::Text},     {"train.name", Kind::Text},
                                 {"train.gradient", Kind::Text}, {"train.rows", Kind::Text},
                                 {"train.batched", Kind::Unit},  {"train.observed", Kind::Unit}};
static const StringRef roles[] = {"loss", "grad", "train", "apply", "eval", "export", "derive"};

/// What an attribute of the kind looks like; empty: the value is one.
static StringRef expectedValue(Kind kind, Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  switch (kind) {
  case Kind::Text:
    return isa<StringAttr>(value) ? "" : "a string";
  case Kind::Count:
    return number && number.getInt() >= 0 ? "" : "a number from 0 on";
  case Kind::Positive:
    return number && number.getInt() > 0 ? "" : "a positive number";
  case Kind::Unit:
    return isa<UnitAttr>(value) ? "" : "no value";
  case Kind::NonFinite: {
    auto text = dyn_cast<StringAttr>(value);
    return text && train::symbolizeNonFinite(text.getValue()) ? "" : "allow, skip or fail";
  }
  case Kind::Any:
    return "";
  }
  llvm_unreachable("a kind of marks");
}

/// `where` names what the attributes belong to.
static LogicalResult verifyKinds(Operation *op, DictionaryAttr attrs, ArrayRef<Mark> marks,
                                 const Twine &where) {
  for (NamedAttribute attr : attrs) {
    StringRef name = attr.getName();
    if (!name.starts_with("train."))
      continue;
    const Mark *mark = llvm::find_if(marks, [&](const Mark &mark) { return mark.name == name; });
    if (mark == marks.end()) {
      InFlightDiagnostic error = op->emitOpError() << "expected ";
      llvm::interleaveComma(marks, error, [&](const Mark &mark) { error << mark.name; });
      return error << where << ", but got " << name;
    }
    if (StringRef expected = expectedValue(mark->kind, attr.getValue()); !expected.empty())
      return op->emitOpError() << "expected " << expected << " as " << name << where << ", but got "
                               << attr.getValue();
  }
  return success();
}

/// An argument or a result is for one thing.
static LogicalResult verifyPurpose(Operation *op, DictionaryAttr attrs, ArrayRef<StringRef> names,
                                   const Twine &where) {
  auto isGiven = [&](StringRef name) { return attrs.contains(name); };
  if (llvm::count_if(names, isGiven) <= 1)
    return success();
  InFlightDiagnostic error = op->emitOpError() << "expected one of ";
  llvm::interleaveComma(names, error);
  return error << where << ", but got " << attrs;
}

static LogicalResult verifyControl(Operation *op, StringAttr control, Type type,
                                   const Twine &where) {
  Builder b(op->getContext());
  Type element = control == "valid"       ? Type(b.getI32Type())
                 : control == "lr_factor" ? Type(b.getF32Type())
                                          : Type();
  if (!element)
    return op->emitOpError() << "expected valid or lr_factor as train.control" << where
                             << ", but got " << control;
  if (auto expected = RankedTensorType::get({}, element); type != expected)
    return op->emitOpError() << "expected type " << expected << " of " << control << where
                             << ", but got " << type;
  return success();
}

static LogicalResult verifyArguments(FunctionOpInterface program) {
  llvm::StringSet<> slots;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    DictionaryAttr attrs = program.getArgAttrDict(i);
    std::string where = " of argument " + std::to_string(i);
    if (!attrs)
      continue;
    if (failed(verifyKinds(program, attrs, ofArguments, where)) ||
        failed(verifyPurpose(program, attrs, {"train.slot", "train.name", "train.control"}, where)))
      return failure();
    if (auto control = attrs.getAs<StringAttr>("train.control");
        control && failed(verifyControl(program, control, program.getArgumentTypes()[i], where)))
      return failure();
    if (auto slot = attrs.getAs<StringAttr>("train.slot"); slot && !slots.insert(slot).second)
      return program->emitOpError()
             << "expected one argument for state " << slot << ", but got two";
  }
  return success();
}

LogicalResult ampc::verifyMarks(FunctionOpInterface program) {
  if (failed(verifyKinds(program, program->getDiscardableAttrDictionary(), ofPrograms, "")) ||
      failed(verifyArguments(program)))
    return failure();
  auto role = program->getAttrOfType<StringAttr>("train.role");
  if (role && !llvm::is_contained(roles, role.getValue()))
    return program->emitOpError() << "expected the role of a program, but got " << role;
  if (program->hasAttr("train.step") && !role)
    return program->emitOpError() << "expected train.role beside train.step";
  for (unsigned i = 0; i < program.getNumResults(); ++i) {
    DictionaryAttr attrs = program.getResultAttrDict(i);
    std::string where = " of result " + std::to_string(i);
    if (attrs &&
        (failed(verifyKinds(program, attrs, ofResults, where)) ||
         failed(verifyPurpose(
             program, attrs, {"train.slot", "train.name", "train.gradient", "train.rows"}, where))))
      return failure();
  }
  return success();
}
