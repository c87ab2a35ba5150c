// Boundaries between phases: compiling on from printed text gives the same code as compiling on in
// memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/Pipelines.h"
#include "mlir-dialects/Train/Program/Signature.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace ampc;

static constexpr llvm::StringLiteral phaseAttribute = "train.phase";

namespace {
/// Puts use lists into the order that parsing text creates, because passes walk uses and text does
/// not keep the order in memory.
struct OrderUses : PassWrapper<OrderUses, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderUses)
  StringRef getName() const override { return "OrderUses"; }
  void runOnOperation() override {
    // Setting an operand moves the use to the front of the list, as the parser does: the last use
    // comes first.
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        operand.set(operand.get());
    });
  }
};

/// Records the last phase in the module (`train.phase`): a printed module goes on behind that
/// phase, in place of running all phases again.
struct NotePhase : PassWrapper<NotePhase, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NotePhase)
  explicit NotePhase(StringRef phase) : phase(phase) {}
  StringRef getName() const override { return "NotePhase"; }
  void runOnOperation() override {
    getOperation()->setAttr(phaseAttribute, StringAttr::get(&getContext(), phase));
  }
  StringRef phase;
};
} // namespace

void Phase::addTo(OpPassManager &pm, const CompileOptions &options) const {
  pm.addPass(std::make_unique<OrderUses>());
  addPasses(pm, options);
  pm.addPass(std::make_unique<NotePhase>(name));
}

/// Verifies the assumptions of later phases, because text with the attribute `train.phase` may be
/// written by hand.
static LogicalResult checkNote(ModuleOp module, const Phase &phase) {
  bool isExpanded = &phase >= findPhase("optimize");
  llvm::DenseSet<StringRef> declared;
  module.walk([&](StateOpInterface state) { declared.insert(state.getSymName()); });
  auto isDeclared = [&](StringAttr state) { return !state || declared.contains(state.getValue()); };
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    if (isExpanded && isa<train::StepOp, train::ExportOp>(op))
      return op->emitOpError() << "expected none behind the phase optimize";
    auto program = dyn_cast<ProgramOpInterface>(op);
    if (!program)
      return WalkResult::advance();
    auto function = cast<FunctionOpInterface>(op);
    Signature signature(function);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (!isDeclared(signature.stateArgument(i)))
        return op->emitOpError() << "expected argument " << i << " to be a state of the model";
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (!isDeclared(signature.stateResult(i)))
        return op->emitOpError() << "expected result " << i << " to be a state of the model";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

FailureOr<const Phase *> ampc::lastPhaseOf(ModuleOp module) {
  Attribute note = module->getAttr(phaseAttribute);
  if (!note)
    return static_cast<const Phase *>(nullptr);
  auto name = dyn_cast<StringAttr>(note);
  if (const Phase *phase = name ? findPhase(name) : nullptr)
    return failed(checkNote(module, *phase)) ? FailureOr<const Phase *>() : phase;
  return module.emitError() << "expected " << phaseAttribute << " to be a phase (" << phaseNames()
                            << "), but got " << note;
}
