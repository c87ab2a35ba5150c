// Which part of a step an op belongs to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Report/Parts.h"
#include "mlir-dialects/Train/Signature.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::report;

PartFinder::PartFinder(train::FuncOp func) : backward(func.getBody().front()) {
  shared = func.getStep().value_or(func.getSymName()).str();
  Block &body = func.getBody().front();
  findParts(body);
  findParameters(func);
}

void PartFinder::findParts(Block &body) {
  // Forwards: what depends on a gradient is the update, what depends on the seed the backward pass.
  for (mlir::Operation &op : body.without_terminator()) {
    bool isBackward = isa<train::SeedOp>(op) || op.hasAttr("amp.recompute");
    Part part = isa<train::GradientOp>(op) ? Part::Optimizer
                : isBackward               ? Part::Backward
                                           : Part::Forward;
    for (Value operand : op.getOperands())
      if (mlir::Operation *source = operand.getDefiningOp())
        part = std::max(part, parts.lookup(source));
    parts[&op] = std::max(part, Part::Forward);
  }
  // Backwards: what else stands behind the seed, or serves the update only, follows its readers.
  for (mlir::Operation &op : llvm::reverse(body.without_terminator())) {
    if (parts[&op] != Part::Forward)
      continue;
    std::optional<Part> first;
    bool isReturned = false;
    for (mlir::Operation *user : op.getUsers())
      if (user->hasTrait<OpTrait::IsTerminator>())
        isReturned = true;
      else
        first = std::min(first.value_or(Part::Optimizer), parts[user]);
    if (backward.contains(&op))
      parts[&op] = first.value_or(Part::Optimizer);
    else if (first == Part::Optimizer && (!isReturned || op.hasAttr("compute")))
      parts[&op] = Part::Optimizer;
  }
}

/// The parameter that a state is, or is kept for.
static StringAttr ownerOf(train::ModelOp model, StringAttr state) {
  auto buffer = model.lookupSymbol<train::BufferOp>(state);
  if (!buffer)
    return state;
  return buffer.getOfAttr() ? buffer.getOfAttr().getAttr() : StringAttr();
}

/// Adds a parameter to what is known of an op.
static void add(StringAttr &known, StringAttr owner) {
  if (owner)
    known = !known || known == owner ? owner : StringAttr::get(owner.getContext(), "");
}

void PartFinder::findParameters(train::FuncOp func) {
  auto model = func->getParentOfType<train::ModelOp>();
  Block &body = func.getBody().front();
  for (OpOperand &operand : body.getTerminator()->getOpOperands()) {
    StringAttr state = Signature(func).stateResult(operand.getOperandNumber());
    if (mlir::Operation *op = operand.get().getDefiningOp(); op && state)
      add(served[op], ownerOf(model, state));
  }
  for (mlir::Operation &op : llvm::reverse(body.without_terminator()))
    if (parts[&op] == Part::Optimizer)
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
