// Working copies of parameters in 16 bits: derived state, never saved.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/WorkingCopies.h"
#include "lib/Precision/Casts.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Ops/Tensors.h"
#include "mlir-dialects/Train/Optimizer/Update.h"
#include "mlir-dialects/Train/Program/SignatureChange.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace ampc;

std::string ampc::workingSlot(StringRef param, Type type) {
  return (param + "." + textOf(type)).str();
}

static std::string whyCopied(StringAttr param) {
  return "the working copy of @" + param.str() + ", which later steps read";
}

/// Working copy of a parameter's new value: rounded to nearest, or, without master weights and if
/// the step says so, to either neighbour at random (stochastic rounding), so that small updates are
/// not lost.
static Value roundParameter(OpBuilder &builder, train::FuncOp func, SignatureChange &change,
                            Value value, StringAttr param, Type type) {
  auto rounding = func->getAttrOfType<StringAttr>("amp.weight_rounding");
  if (!rounding || rounding != "stochastic")
    return insertCast(builder, value, type, whyCopied(param));
  std::string step = func.getStepName().str();
  Value count = change.addState(step + ".step", RankedTensorType::get({}, builder.getI64Type()));
  auto key = int32_t(llvm::xxh3_64bits(step + ".weight." + param.str()));
  Value rounded = GradBuilder(builder, value.getLoc(), originOf(value))
                      .op<train::RoundWeightOp>(tensorOf(value).clone(type), value, count, key);
  setDecision(rounded.getDefiningOp(), amp::DecisionAttr::inserted, whyCopied(param));
  return rounded;
}

/// Adds a rounded copy to every program that updates a parameter, so that later steps only read the
/// copy.
static void writeCopies(train::FuncOp func, const WorkingCopies &copies, bool masterWeights) {
  Operation *ret = func.getBody().front().getTerminator();
  OpBuilder builder(ret);
  DenseMap<StringAttr, unsigned> results;
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (StringAttr state = Signature(func).stateResult(i))
      results[state] = i;
  SignatureChange change(func);
  for (auto &[param, type] : copies) {
    auto result = results.find(param);
    if (result == results.end())
      continue;
    Value value = ret->getOperand(result->second);
    Value copy = masterWeights ? insertCast(builder, value, type, whyCopied(param))
                               : roundParameter(builder, func, change, value, param, type);
    if (!masterWeights)
      ret->setOperand(result->second,
                      insertCast(builder, copy, getElementTypeOrSelf(value),
                                 "without master weights a parameter holds the rounded copy"));
    change.addStateResult(copy, workingSlot(param, type));
  }
}

/// Adds the program that derives the copies from the parameters after create and load, because
/// copies are never saved.
static void addDerivation(train::ModelOp model, const WorkingCopies &copies) {
  OpBuilder builder = OpBuilder::atBlockEnd(&model.getBody().front());
  auto func =
      train::FuncOp::create(builder, model.getLoc(), "derive", builder.getFunctionType({}, {}));
  func.setRole(train::Role::Derive);
  builder.setInsertionPointToEnd(&func.getBody().emplaceBlock());
  builder.setInsertionPoint(train::ReturnOp::create(builder, model.getLoc(), ValueRange()));
  SmallVector<Value> values;
  {
    SignatureChange change(func);
    SymbolTable symbols(model);
    for (auto &[param, type] : copies) {
      auto declared = symbols.lookup<train::ParamOp>(param);
      values.push_back(change.addState(param, declared.getType(), declared.getLoc()));
    }
  }
  SignatureChange change(func);
  for (auto [value, copy] : llvm::zip(values, copies))
    change.addStateResult(insertCast(builder, value, copy.second, whyCopied(copy.first)),
                          workingSlot(copy.first, copy.second));
}

void ampc::addWorkingCopies(train::ModelOp model, const WorkingCopies &copies, bool masterWeights) {
  if (copies.empty())
    return;
  for (auto func : model.getOps<train::FuncOp>())
    writeCopies(func, copies, masterWeights);
  OpBuilder builder(model.getContext());
  SymbolTable symbols(model);
  for (auto &[param, type] : copies) {
    auto declared = symbols.lookup<train::ParamOp>(param);
    builder.setInsertionPointAfter(declared);
    train::BufferOp::create(builder, declared.getLoc(), workingSlot(param, type),
                            cast<RankedTensorType>(declared.getType()).clone(type),
                            train::ZerosAttr::get(model.getContext()), train::StateRole::Working,
                            param);
  }
  addDerivation(model, copies);
}
