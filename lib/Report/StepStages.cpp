// Parts of a step: forward, backward, optimizer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Report/StepStages.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/Signature.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::report;

PartFinder::PartFinder(train::FuncOp func) {
  shared = func.getStep().value_or(func.getSymName()).str();
  findParameters(func);
}

StepStage PartFinder::stepStageOf(mlir::Operation *op) {
  if (isa<train::GradientOp>(op)) // first op of the optimizer
    return StepStage::Optimizer;
  SmallVector<train::OriginAttr> origins = originsOf(op); // of a kernel; an op has a single one
  switch (origins.empty() ? stageOf(op) : origins.front().getStage()) {
  case train::Stage::Forward:
    return StepStage::Forward;
  case train::Stage::Backward:
    return StepStage::Backward;
  case train::Stage::Update:
    return StepStage::Optimizer;
  }
  llvm_unreachable("all stages are handled");
}

/// Parameter that the state is, or belongs to: Adam's "m" of @w -> @w.
static StringAttr ownerOf(const SymbolTable &states, StringAttr state) {
  auto buffer = states.lookup<train::BufferOp>(state);
  if (!buffer)
    return state;
  return buffer.getOfAttr() ? buffer.getOfAttr().getAttr() : StringAttr();
}

/// Merges a parameter into the entry of an op; the empty name stands for several parameters.
static void add(StringAttr &known, StringAttr owner) {
  if (owner)
    known = !known || known == owner ? owner : StringAttr::get(owner.getContext(), "");
}

void PartFinder::findParameters(train::FuncOp func) {
  SymbolTable states(func->getParentOfType<train::ModelOp>());
  Block &body = func.getBody().front();
  for (OpOperand &operand : body.getTerminator()->getOpOperands()) {
    StringAttr state = Signature(func).stateResult(operand.getOperandNumber());
    if (mlir::Operation *op = operand.get().getDefiningOp(); op && state)
      add(served[op], ownerOf(states, state));
  }
  for (mlir::Operation &op : llvm::reverse(body.without_terminator()))
    if (stepStageOf(&op) == StepStage::Optimizer)
      for (Value operand : op.getOperands())
        if (mlir::Operation *source = operand.getDefiningOp())
          add(served[source], served.lookup(&op));
  for (mlir::Operation &op : body.without_terminator()) {
    if (auto gradient = dyn_cast<train::GradientOp>(op))
      read[&op] = gradient.getParamAttr().getAttr();
    else
      for (Value operand : op.getOperands())
        if (mlir::Operation *source = operand.getDefiningOp())
          add(read[&op], read.lookup(source));
  }
}

std::string PartFinder::parameterOf(mlir::Operation *op) const {
  for (const Owners *owners : {&served, &read})
    if (StringAttr owner = owners->lookup(op); owner && !owner.empty())
      return owner.str();
  return shared;
}
