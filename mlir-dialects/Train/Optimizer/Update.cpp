// Update op of one parameter: verification, and expansion of the rule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir-dialects/Train/Optimizer/Update.h"
#include "mlir-dialects/Train/Ops/Random.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Text/Syntax.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::train;
using namespace ampc::syntax;

LogicalResult UpdateOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getParam().getType());
  llvm::append_range(types, adaptor.getMoments().getTypes());
  return success();
}

/// Checks the values in place of numbers of the rule.
static LogicalResult verifyNumbers(UpdateOp op) {
  SmallVector<StringRef> names = op.getNumberNames();
  if (names.size() != op.getNumbers().size())
    return op.emitOpError() << "expected a name per number, but got " << names.size()
                            << " names of " << op.getNumbers().size() << " numbers";
  llvm::StringSet<> once;
  for (auto [name, number] : llvm::zip(names, op.getNumbers())) {
    bool isKnown = llvm::is_contained(op.getRule().getVariableNumbers(), name) &&
                   (name != "momentum" || op.getRule().getMomentumName() == name);
    if (!isKnown || !once.insert(name).second)
      return op.emitOpError() << "expected numbers of " << op.getRule() << ", each once, but got "
                              << name;
    if (number.getType() != op.getRate().getType())
      return op.emitOpError() << "expected " << name << " of type " << op.getRate().getType()
                              << ", but got " << number.getType();
  }
  return success();
}

SmallVector<StringRef> UpdateOp::getNumberNames() {
  SmallVector<StringRef> names;
  if (getNames())
    llvm::append_range(names, getNames()->getAsValueRange<StringAttr>());
  return names;
}

LogicalResult UpdateOp::verify() {
  OptimizerAttrInterface rule = getRule();
  RankedTensorType param = tensorOf(getParam().getType());
  SmallVector<Moment> wanted = rule.getMomentsOf(param.getShape());
  size_t expected = wanted.size();
  if (getMoments().size() != expected) // 1.
    return emitOpError() << "expected " << expected << " moments for " << rule << ", but got "
                         << getMoments().size();
  Type stored =
      getMoments().empty() ? param.getElementType() : getElementTypeOrSelf(getMoments().front());
  for (auto [moment, is] : llvm::zip(getMoments(), wanted))
    if (auto type = RankedTensorType::get(is.shape, stored); moment.getType() != type) // 2.
      return emitOpError() << "expected " << is.name << " of type " << type << ", but got "
                           << moment.getType();
  Type computed = getElementTypeOrSelf(typeOfRule(param));
  size_t keys = stored != computed && stored.isBF16() ? expected : 0;
  if (getKeys().value_or(ArrayRef<int32_t>()).size() != keys) // 3.
    return emitOpError() << "expected " << keys << " keys for moments of " << stored << ", but got "
                         << getKeys().value_or(ArrayRef<int32_t>()).size();
  if (failed(verifyNumbers(*this))) // 4.
    return failure();
  if (getProducts() && !rule.multipliesMatrices(param.getShape())) // 5.
    return emitOpError() << "expected no products for " << rule << " on " << param;
  if (getProducts() && !getProducts()->isBF16() && !getProducts()->isF16()) // 5.
    return emitOpError() << "expected products of bf16 or f16, but got " << *getProducts();
  if (getParamKey() && computed.getIntOrFloatBitWidth() == param.getElementTypeBitWidth()) // 6.
    return emitOpError() << "expected no param_key for a parameter of " << param.getElementType();
  return success();
}

SmallVector<Value> UpdateOp::decompose(GradBuilder &b) {
  Type element = getElementTypeOrSelf(getGradient()), narrow = getElementTypeOrSelf(getParam());
  b.compute = element;
  Value number = b.castTo(b.add(getCount(), b.real(1.0, getCount())), element);
  Value param = b.castTo(getParam(), element);
  SmallVector<Value> wide =
      llvm::map_to_vector(getMoments(), [&](Value moment) { return b.castTo(moment, element); });
  UpdateSettings settings{{}, getProducts().value_or(Type())};
  for (auto [name, value] : llvm::zip(getNumberNames(), getNumbers()))
    settings.numbers.push_back({name, value});
  SmallVector<Value> updated =
      getRule().buildUpdate(b, param, getGradient(), wide, number, getRate(), settings);
  if (getParamKey())
    updated[0] = b.op<RoundWeightOp>(getParam().getType(), updated[0], getCount(), *getParamKey());
  updated[0] = b.castTo(updated[0], narrow);
  for (auto [i, old] : llvm::enumerate(getMoments())) {
    Value &value = updated[i + 1];
    Type stored = getElementTypeOrSelf(old);
    if (stored != element)
      value = stored.isBF16()
                  ? b.op<StochasticRoundOp>(old.getType(), value, getCount(), (*getKeys())[i])
                  : b.castTo(value, stored);
  }
  if (getSkip())
    for (auto [i, value] : llvm::enumerate(updated))
      value = b.select(getSkip(), getOld(i), value);
  return updated;
}

SmallVector<Value> RoundWeightOp::buildScalars(ScalarBuilder &b, ValueRange x) {
  return {roundStochastically(b, x[0], x[1], getKey(), getType().getElementType())};
}

static ParseResult parseUpdateTypes(OpAsmParser &parser, const Operand &param, Type &paramType,
                                    const Operand &gradient, Type &gradientType,
                                    const Operands &moments, Types &momentTypes,
                                    const Operand &count, Type &countType, const Operand &rate,
                                    Type &rateType, const Operands &numbers, Types &numberTypes,
                                    const std::optional<Operand> &skip, Type &skipType) {
  return parseSlots(parser,
                    {Slot(param, paramType), Slot(gradient, gradientType),
                     Slot(moments, momentTypes), Slot(count, countType), Slot(rate, rateType),
                     Slot(numbers, numberTypes), Slot(skip, skipType)});
}
static void printUpdateTypes(OpAsmPrinter &p, Operation *op, Value, Type, Value, Type, OperandRange,
                             TypeRange, Value, Type, Value, Type, OperandRange, TypeRange, Value,
                             Type) {
  printTypeList(p, llvm::to_vector(op->getOperandTypes()));
}

#define GET_OP_CLASSES
#include "mlir-dialects/Train/UpdateOps.cpp.inc"

void ampc::registerUpdateOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, TrainDialect *dialect) {
    addRecordedOperations<UpdateOp, RoundWeightOp>(*dialect);
  });
}
