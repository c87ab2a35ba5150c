// Parameters that programs read in 16 bits: state that is derived and never saved.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/WorkingCopies.h"
#include "lib/Precision/Casts.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Signature.h"

using namespace mlir;
using namespace ampc;

std::string ampc::workingSlot(StringRef param, Type type) {
  return (param + "." + textOf(type)).str();
}

static std::string whyCopied(StringAttr param) {
  return "the working copy of @" + param.str() + ", which later steps read";
}

/// The program that updates a parameter rounds it at once: later steps only read the copy.
static void writeCopies(train::FuncOp func, const WorkingCopies &copies, bool masterWeights) {
  Operation *ret = func.getBody().front().getTerminator();
  OpBuilder builder(ret);
  for (auto &[param, type] : copies)
    for (unsigned i = 0, count = func.getNumResults(); i < count; ++i) {
      if (Signature(func).stateResult(i) != param)
        continue;
      Value value = ret->getOperand(i);
      Value copy = insertCast(builder, value, type, whyCopied(param));
      if (!masterWeights)
        ret->setOperand(i, insertCast(builder, copy, getElementTypeOrSelf(value),
                                      "without master weights a parameter holds its copy"));
      Signature(func).addStateResult(copy, workingSlot(param, type));
    }
}

/// Copies are never saved: this program makes them from the parameters after create and load.
static void addDerivation(train::ModelOp model, const WorkingCopies &copies) {
  OpBuilder builder = OpBuilder::atBlockEnd(&model.getBody().front());
  auto func =
      train::FuncOp::create(builder, model.getLoc(), "derive", builder.getFunctionType({}, {}));
  func.setRole(train::Role::Derive);
  builder.setInsertionPointToEnd(&func.getBody().emplaceBlock());
  builder.setInsertionPoint(train::ReturnOp::create(builder, model.getLoc(), ValueRange()));
  Signature signature(func);
  for (auto &[param, type] : copies) {
    auto declared = model.lookupSymbol<train::ParamOp>(param);
    Value value = signature.addState(param, declared.getType(), declared.getLoc());
    signature.addStateResult(insertCast(builder, value, type, whyCopied(param)),
                             workingSlot(param, type));
  }
}

void ampc::addWorkingCopies(train::ModelOp model, const WorkingCopies &copies, bool masterWeights) {
  if (copies.empty())
    return;
  for (auto func : model.getOps<train::FuncOp>())
    writeCopies(func, copies, masterWeights);
  OpBuilder builder(model.getContext());
  for (auto &[param, type] : copies) {
    auto declared = model.lookupSymbol<train::ParamOp>(param);
    builder.setInsertionPointAfter(declared);
    train::BufferOp::create(builder, declared.getLoc(), workingSlot(param, type),
                            cast<RankedTensorType>(declared.getType()).clone(type),
                            train::ZerosAttr::get(model.getContext()), train::StateRole::Working,
                            param);
  }
  addDerivation(model, copies);
}
