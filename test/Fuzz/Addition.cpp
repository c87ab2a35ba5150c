// Ops, state and inputs added to a finished random model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Addition.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

int64_t fuzz::batchOf(train::FuncOp func) {
  auto type = cast<RankedTensorType>(func.getArgument(0).getType());
  return type.getRank() ? type.getDimSize(0) : 0;
}

NamedAttribute Addition::named(StringRef name, Attribute value) {
  return NamedAttribute(StringAttr::get(context, name), value);
}

Operation *Addition::makeOp(StringRef name, ValueRange operands, TypeRange results,
                            ArrayRef<NamedAttribute> attributes) {
  OperationState state(builder.getUnknownLoc(), name);
  state.addOperands(operands);
  state.addAttributes(attributes);
  state.addTypes(results);
  return builder.create(state);
}

Value Addition::create(StringRef name, ValueRange operands, Type result,
                       ArrayRef<NamedAttribute> attributes) {
  return makeOp(name, operands, result, attributes)->getResult(0);
}

std::string Addition::freeName(StringRef prefix) {
  std::string name;
  for (int number = 0; name.empty() || model.lookupSymbol(name); ++number)
    name = prefix.str() + std::to_string(number);
  return name;
}

std::string Addition::declare(StringRef kind, StringRef prefix, RankedTensorType type,
                              StringRef init, ArrayRef<NamedAttribute> marks) {
  std::string name = freeName(prefix);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&model.getBody().front());
  SmallVector<NamedAttribute> attributes(marks);
  attributes.append({named("sym_name", builder.getStringAttr(name)),
                     named("type", TypeAttr::get(type)),
                     named("init", parseAttribute(init, context))});
  makeOp(kind, {}, {}, attributes);
  return name;
}

Value Addition::read(StringRef state, RankedTensorType type) {
  return create("train.read", {}, type, named("state", FlatSymbolRefAttr::get(context, state)));
}

Value Addition::addInput(train::FuncOp func, RankedTensorType type) {
  std::string name = "a" + std::to_string(func.getNumArguments());
  Value input = Signature(func).insertArgument(func.getNumArguments(), type,
                                               train::InputAttr::get(builder.getStringAttr(name)),
                                               builder.getUnknownLoc());
  Signature(func).updateType();
  return input;
}

Value Addition::makeNumber(double number, Type element) {
  auto type = RankedTensorType::get({}, element);
  Attribute value = isa<FloatType>(element)
                        ? Attribute(builder.getFloatAttr(element, number))
                        : Attribute(builder.getIntegerAttr(element, int64_t(number)));
  return create("train.constant", {}, type, named("value", DenseElementsAttr::get(type, value)));
}

Value Addition::reduceAll(StringRef name, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.getRank())
    return value;
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  return create(name, value, type.clone(ArrayRef<int64_t>()),
                named("dims", builder.getDenseI64ArrayAttr(dims)));
}

void Addition::addToLoss(train::FuncOp func, Value term) {
  OpOperand &loss = func.getBody().front().getTerminator()->getOpOperand(0);
  loss.set(create("train.add", {loss.get(), term}, loss.get().getType()));
}

SmallVector<train::FuncOp> Addition::losses() {
  llvm::SetVector<train::FuncOp> found;
  for (auto step : model.getOps<train::StepOp>())
    found.insert(model.lookupSymbol<train::FuncOp>(step.getLoss()));
  return found.takeVector();
}

SmallVector<train::FuncOp> Addition::exported() {
  llvm::SetVector<train::FuncOp> found;
  for (auto each : model.getOps<train::ExportOp>())
    found.insert(model.lookupSymbol<train::FuncOp>(each.getFunction()));
  return found.takeVector();
}
