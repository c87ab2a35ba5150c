// Numbers of ops computed from formulas over sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Text/AttributeText.h"
#include "mlir-dialects/Train/Text/Constants.h"
#include "mlir-dialects/Train/Text/ParseScope.h"
#include "mlir-dialects/Train/Text/Sizes.h"
#include "mlir-dialects/Train/Train.h"

using namespace mlir;
using namespace ampc;

/// The type with other dimensions.
static FailureOr<Type> resize(Operation *op, Type type, StringRef formulas, const Sizes &sizes) {
  std::string why;
  auto shape = sizes.evaluateAll(formulas, why);
  if (failed(shape))
    return op->emitError() << why;
  if (llvm::any_of(*shape, [](int64_t size) { return size < 1; }))
    return op->emitError() << "expected positive sizes, but " << formulas << " is ["
                           << ArrayRef<int64_t>(*shape) << "]";
  return Type(cast<RankedTensorType>(type).clone(*shape));
}

/// Attributes that hold several numbers are written again.
static bool isText(StringRef formulas) {
  return formulas.starts_with("#") || formulas.starts_with("[");
}

/// Parses the attribute's text again with these sizes.
static FailureOr<Attribute> readAgain(Operation *op, StringRef text, const Sizes &sizes) {
  std::string why;
  Attribute read;
  {
    ParseScope scope(op->getContext(), ParseScope::Kind::Model);
    scope.sizes = Sizes(&sizes);
    FormulasIn formulas(op->getContext());
    read = parseAttributeText(text, op->getContext(), why);
  }
  if (!read)
    return op->emitError() << why;
  return read;
}

/// The value of a constant by its formulas, or the value for another shape: one number for all
/// elements.
static LogicalResult applyTo(train::ConstantOp op, StringAttr name, StringRef formulas,
                             const Sizes &sizes) {
  std::string why;
  if (name == "value") {
    auto value = constantOf(op.getType(), formulas, sizes, why);
    if (failed(value))
      return op.emitError() << why;
    op.setValueAttr(*value);
    return success();
  }
  FailureOr<Type> type = resize(op, op.getType(), formulas, sizes);
  if (failed(type))
    return failure();
  auto shaped = cast<RankedTensorType>(*type);
  auto present = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!present || (!present.isSplat() && present.getNumElements() != shaped.getNumElements()))
    return op.emitError() << "expected a constant of " << op.getType().getNumElements()
                          << " elements, but got " << *type;
  op.setValueAttr(present.isSplat() ? present.resizeSplat(shaped) : present.reshape(shaped));
  op.getResult().setType(shaped);
  return success();
}

static LogicalResult applyTo(Operation *op, StringAttr name, StringRef formulas,
                             const Sizes &sizes) {
  if (auto constant = dyn_cast<train::ConstantOp>(op))
    return applyTo(constant, name, formulas, sizes);
  if (name == "result") {
    FailureOr<Type> type = resize(op, op->getResult(0).getType(), formulas, sizes);
    if (succeeded(type))
      op->getResult(0).setType(*type);
    return type;
  }
  Attribute present = op->getAttr(name);
  if (auto type = dyn_cast<TypeAttr>(present)) {
    FailureOr<Type> resized = resize(op, type.getValue(), formulas, sizes);
    if (succeeded(resized))
      op->setAttr(name, TypeAttr::get(*resized));
    return resized;
  }
  if (isText(formulas)) {
    FailureOr<Attribute> read = readAgain(op, formulas, sizes);
    if (succeeded(read))
      op->setAttr(name, *read);
    return read;
  }
  std::string why;
  if (isa<FloatAttr>(present)) {
    FailureOr<double> number = sizes.evaluateReal(formulas, why);
    if (failed(number))
      return op->emitError() << why;
    op->setAttr(name, FloatAttr::get(cast<FloatAttr>(present).getType(), *number));
    return success();
  }
  auto numbers = sizes.evaluateAll(formulas, why);
  if (failed(numbers))
    return op->emitError() << why;
  if (auto one = dyn_cast<IntegerAttr>(present); one && numbers->size() == 1)
    op->setAttr(name, IntegerAttr::get(one.getType(), numbers->front()));
  else
    op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), *numbers));
  return success();
}

static LogicalResult applyToArguments(train::FuncOp func, ArrayAttr formulas, const Sizes &sizes) {
  SmallVector<Type> types(func.getArgumentTypes());
  for (auto [i, formula] : llvm::enumerate(formulas)) {
    StringRef text = cast<StringAttr>(formula).getValue();
    if (text.empty())
      continue;
    FailureOr<Type> type = resize(func, types[i], text, sizes);
    if (failed(type))
      return failure();
    types[i] = *type;
    func.getArgument(i).setType(*type);
  }
  func.setFunctionType(FunctionType::get(func.getContext(), types, func.getResultTypes()));
  return success();
}

LogicalResult ampc::applySizes(Operation *op, const Sizes &sizes) {
  auto formulas = op->getAttrOfType<DictionaryAttr>(Sizes::key);
  for (NamedAttribute each : formulas ? formulas.getValue() : ArrayRef<NamedAttribute>()) {
    if (auto func = dyn_cast<train::FuncOp>(op)) {
      if (failed(applyToArguments(func, cast<ArrayAttr>(each.getValue()), sizes)))
        return failure();
    } else if (failed(applyTo(op, each.getName(), cast<StringAttr>(each.getValue()).getValue(),
                              sizes))) {
      return failure();
    }
  }
  return success();
}

/// Whether formulas fit an attribute or result: the counts of numbers are equal.
static bool fits(Operation *op, NamedAttribute each) {
  auto text = dyn_cast<StringAttr>(each.getValue());
  if (!text)
    return false;
  int64_t count = text.getValue().trim().empty() ? 0 : text.getValue().count(',') + 1;
  auto hasRank = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.getRank() == count;
  };
  if (each.getName() == "result")
    return op->getNumResults() == 1 && hasRank(op->getResult(0).getType());
  Attribute present = op->getInherentAttr(each.getName()).value_or(Attribute());
  if (auto type = dyn_cast_or_null<TypeAttr>(present))
    return hasRank(type.getValue());
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(present))
    return array.size() == count;
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(present))
    return count == 1 || elements.getNumElements() == count;
  if (isText(text.getValue()))
    return present && !isa<IntegerAttr, FloatAttr, StringAttr>(present);
  return isa_and_nonnull<IntegerAttr, FloatAttr>(present) && count == 1;
}

std::optional<StringRef> ampc::misfitOfSizes(Operation *op, Attribute value) {
  auto areStrings = [](Attribute list) {
    auto array = dyn_cast<ArrayAttr>(list);
    return array && llvm::all_of(array, llvm::IsaPred<StringAttr>);
  };
  if (isa<train::ModelOp>(op))
    return areStrings(value) &&
                   llvm::all_of(cast<ArrayAttr>(value),
                                [](Attribute each) {
                                  return cast<StringAttr>(each).getValue().contains('=');
                                })
               ? std::nullopt
               : std::optional<StringRef>("[\"NAME = FORMULA\", ...]");
  auto formulas = dyn_cast<DictionaryAttr>(value);
  if (!formulas)
    return "{NAME = \"FORMULA, ...\", ...}";
  if (auto func = dyn_cast<train::FuncOp>(op)) {
    auto list = formulas.getAs<ArrayAttr>("arguments");
    auto fitsArgument = [&](auto pair) {
      StringRef text = cast<StringAttr>(std::get<0>(pair)).getValue();
      auto type = dyn_cast<RankedTensorType>(std::get<1>(pair));
      return text.empty() || (type && type.getRank() == int64_t(text.count(',') + 1));
    };
    if (formulas.size() != 1 || !list || !areStrings(list) ||
        list.size() != func.getArgumentTypes().size() ||
        !llvm::all_of(llvm::zip(list, func.getArgumentTypes()), fitsArgument))
      return "{arguments = [\"FORMULA, ...\", ...]}, one per argument and dimension";
    return std::nullopt;
  }
  if (isa<train::ExportOp>(op))
    return formulas.size() == 1 && formulas.getAs<StringAttr>("batch")
               ? std::nullopt
               : std::optional<StringRef>("{batch = \"NUMBER\"}");
  if (!llvm::all_of(formulas, [&](NamedAttribute each) { return fits(op, each); }))
    return "{NAME = \"FORMULA, ...\"}, a formula per number of an attribute or of the result's "
           "shape";
  return std::nullopt;
}
