// Reduction of models: removes parts that a test does not need.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc-reduce/ReduceModel.h"
#include "mlir-dialects/Amp/Amp.h"
#include "mlir-dialects/Train/Train.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Reducer/Tester.h"

using namespace mlir;
using namespace ampc;

/// Whether the op computes tensors from tensors, unlike ops of a model's structure.
static bool computes(Operation *op) {
  return op->getNumResults() && isPure(op) && !op->hasTrait<OpTrait::IsTerminator>() &&
         !op->hasTrait<OpTrait::ConstantLike>();
}

// ---- Cuts: each removes an op, a region or an attribute, or returns false ----

/// Erases an export, a write, an unused symbol, or a step if the model has several.
static bool eraseWhole(Operation *op) {
  auto model = dyn_cast_or_null<train::ModelOp>(op->getParentOp());
  bool isExtra = isa<train::ExportOp, train::WriteOp>(op);
  if (isa<train::StepOp>(op)) {
    auto steps = model.getOps<train::StepOp>();
    isExtra = std::distance(steps.begin(), steps.end()) > 1;
  }
  bool isUnused = model && isa<SymbolOpInterface, train::FuncOp>(op) && !isa<train::StepOp>(op) &&
                  SymbolTable::symbolKnownUseEmpty(op, model);
  if (!isExtra && !isUnused)
    return false;
  op->erase();
  return true;
}

static bool inlineRegion(Operation *op) {
  auto autocast = dyn_cast<amp::AutocastOp>(op);
  if (!autocast)
    return false;
  Block &body = autocast.getBody().front();
  Operation *yield = body.getTerminator();
  op->replaceAllUsesWith(llvm::to_vector(yield->getOperands()));
  yield->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), body.getOperations());
  op->erase();
  return true;
}

/// Replaces results by constants of value 1.
static bool takeConstant(Operation *op) {
  if (!computes(op))
    return false;
  OpBuilder builder(op);
  for (OpResult result : op->getResults()) {
    auto one = cast<TypedAttr>(builder.getOneAttr(getElementTypeOrSelf(result)));
    auto value = DenseElementsAttr::get(cast<ShapedType>(result.getType()), one);
    result.replaceAllUsesWith(train::ConstantOp::create(builder, op->getLoc(), value));
  }
  op->erase();
  return true;
}

/// Replaces the result by the first operand of the same type.
static bool takeOperand(Operation *op) {
  if (!computes(op) || op->getNumResults() != 1)
    return false;
  for (Value operand : op->getOperands())
    if (operand.getType() == op->getResult(0).getType()) {
      op->getResult(0).replaceAllUsesWith(operand);
      op->erase();
      return true;
    }
  return false;
}

/// Removes an attribute, or a parameter of a step.
static bool dropAttribute(Operation *op) {
  auto step = dyn_cast<train::StepOp>(op);
  SmallVector<StringRef> names = {"compute"};
  if (step)
    names = {"groups",        "schedule",  "clip_norm",  "clip_value",
             "micro_batches", "ema_decay", "amp.scaler", "nonfinite"};
  for (StringRef name : names)
    if (op->hasAttr(name)) {
      op->removeAttr(name);
      return true;
    }
  if (!step || step.getParams().size() < 2)
    return false;
  auto model = cast<train::ModelOp>(op->getParentOp());
  auto last = cast<FlatSymbolRefAttr>(step.getParams().getValue().back());
  step.setParamsAttr(ArrayAttr::get(op->getContext(), step.getParams().getValue().drop_back()));
  if (Operation *param = model.lookupSymbol(last.getValue()))
    param->setAttr("frozen", UnitAttr::get(op->getContext()));
  return true;
}

/// Erases ops without uses, and unused arguments of functions without calls.
static void eraseDead(ModuleOp module) {
  module.walk([](train::FuncOp func) {
    Block &body = func.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (op.getNumResults() && op.use_empty() && isPure(&op))
        op.erase();
    auto model = func->getParentOfType<train::ModelOp>();
    bool isCalled = false;
    model.walk([&](train::CallOp call) { isCalled |= call.getCallee() == func.getSymName(); });
    for (unsigned i = body.getNumArguments(); i-- > 0 && !isCalled;)
      if (body.getArgument(i).use_empty())
        (void)func.eraseArgument(i);
  });
}

namespace {
struct ReduceModel : PassWrapper<ReduceModel, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReduceModel)
  ReduceModel() = default;
  ReduceModel(const ReduceModel &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "reduce-model"; }
  StringRef getDescription() const override {
    return "Remove parts of a model while the test stays interesting";
  }
  Option<std::string> test{
      *this, "test",
      llvm::cl::desc(
          "a program that gets a file and exits with 1 if the model of that file is interesting")};

  void runOnOperation() override {
    Tester tester(test, {});
    if (tester.isInteresting(getOperation()).first != Tester::Interestingness::True) {
      getOperation().emitError("expected a model that the test finds interesting");
      return signalPassFailure();
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (auto cut : {eraseWhole, inlineRegion, takeConstant, takeOperand, dropAttribute})
        changed |= cutAll(tester, cut);
    }
  }

private:
  static Operation *opAt(ModuleOp module, unsigned number) {
    Operation *found = nullptr;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      found = op;
      return number-- == 0 ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found;
  }
  static unsigned countOps(ModuleOp module) {
    unsigned count = 0;
    module.walk([&](Operation *) { ++count; });
    return count;
  }
  /// Tries a cut on every op, last op first, so that ops used only by a removed op go with the
  /// removal.
  bool cutAll(Tester &tester, bool (*cut)(Operation *)) {
    ScopedDiagnosticHandler silent(&getContext(), [](Diagnostic &) { return success(); });
    bool changed = false;
    for (unsigned number = countOps(getOperation()); number-- > 0;) {
      if (number >= countOps(getOperation()))
        continue;
      OwningOpRef<ModuleOp> smaller = getOperation().clone();
      if (!cut(opAt(*smaller, number)))
        continue;
      eraseDead(*smaller);
      if (failed(verify(*smaller)) ||
          tester.isInteresting(*smaller).first != Tester::Interestingness::True)
        continue;
      getOperation().getBodyRegion().takeBody(smaller->getBodyRegion());
      changed = true;
    }
    return changed;
  }
};
} // namespace

void ampc::registerReduceModel() { PassRegistration<ReduceModel>(); }
