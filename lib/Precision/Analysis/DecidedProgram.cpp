// Values and ops whose types are open to the precision policy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Analysis/DecidedProgram.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

DecidedProgram::DecidedProgram(train::FuncOp func)
    : func(func), f32(Float32Type::get(func.getContext())), copies(func) {
  auto note = [&](ValueRange values) {
    for (Value v : values)
      if (getElementTypeOrSelf(v) == f32)
        real.insert(v);
  };
  note(func.getArguments());
  func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    note(op->getResults());
    if (auto scan = dyn_cast<train::ScanOp>(op))
      note(scan.getBody().getArguments());
    if (isLoopBoundary(op) || op->hasTrait<OpTrait::IsTerminator>())
      return;
    ops.push_back(op);
    auto isFloat = [](Value v) { return isa<FloatType>(getElementTypeOrSelf(v)); };
    auto isOther = [&](Value v) { return isFloat(v) && !isReal(v); };
    bool touchesReal = llvm::any_of(op->getOperands(), [&](Value v) { return isReal(v); }) ||
                       llvm::any_of(op->getResults(), [&](Value v) { return isReal(v); });
    bool other =
        llvm::any_of(op->getOperands(), isOther) || llvm::any_of(op->getResults(), isOther);
    if (touchesReal && !other && isa<PrecisionOpInterface>(op) &&
        !op->hasTrait<OpTrait::ConstantLike>())
      decided.insert(op);
    if (stageOf(op) == train::Stage::Backward)
      backward.insert(op);
  });
}

Operation *DecidedProgram::producerOf(Value v) const {
  Operation *op = sourceOf(v).getDefiningOp();
  return op && !isLoopBoundary(op) ? op : nullptr;
}

SmallVector<OpOperand *> DecidedProgram::usesOf(Value v) const {
  SmallVector<OpOperand *> uses;
  auto add = [&](Value copy) {
    for (OpOperand &use : copy.getUses())
      if (!isLoopBoundary(use.getOwner()))
        uses.push_back(&use);
  };
  Value source = sourceOf(v);
  add(source);
  for (Value copy : copies.of(source))
    add(copy);
  return uses;
}

SmallVector<Operation *> DecidedProgram::usersOf(Value v) const {
  return llvm::map_to_vector(usesOf(v), [](OpOperand *use) { return use->getOwner(); });
}

bool DecidedProgram::isCarried(Value v) const {
  Value source = sourceOf(v);
  return isCarriedArgument(source) || llvm::any_of(copies.of(source), isCarriedArgument);
}

bool DecidedProgram::isStoredByLoop(Value v) const {
  return llvm::any_of(copies.of(sourceOf(v)), [](Value copy) { return !isRow(copy); });
}

void DecidedProgram::untilStable(function_ref<bool()> step) const {
  for (size_t i = 0; step() && i < copies.all().size(); ++i)
    ;
}
