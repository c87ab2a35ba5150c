// Pass train-check-uniform: proof that all ranks keep equal state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Train/Passes.h"
#include "lib/Train/Step/Ranks.h"
#include "mlir-dialects/Train/Ops/Parts.h"
#include "mlir-dialects/Train/Program/Origin.h"
#include "mlir-dialects/Train/Program/Signature.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINCHECKUNIFORM
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

namespace {
/// Values of a program that may differ between ranks.
class OwnValues {
public:
  explicit OwnValues(train::FuncOp func);
  bool contains(Value value) const { return causes.contains(value); }
  /// Reports that `value` has to be equal on all ranks, with the path from the rank's own data.
  void refuse(Value value, const Twine &use, int64_t ranks) const;

private:
  void visit(Operation *op);

  train::FuncOp func;
  /// Value that may differ -> the operand that brings the difference; null for a source.
  llvm::DenseMap<Value, Value> causes;
};
} // namespace

OwnValues::OwnValues(train::FuncOp func) : func(func) {
  Signature signature(func);
  for (BlockArgument argument : func.getArguments())
    if (signature.argument<train::InputAttr>(argument) ||
        argument == signature.findControl(train::Control::Valid))
      causes[argument] = Value();
  for (Operation &op : func.getBody().front().without_terminator())
    visit(&op);
}

/// An op with regions counts as a whole: each result depends on each operand.
void OwnValues::visit(Operation *op) {
  if (op->hasTrait<EqualOnRanks>())
    return;
  Value cause;
  bool isOwn = false;
  op->walk([&](Operation *inner) {
    isOwn |= isa<train::RankOp>(inner);
    for (Value operand : inner->getOperands())
      if (!isOwn && contains(operand)) {
        isOwn = true;
        cause = operand;
      }
  });
  for (Value result : op->getResults())
    if (isOwn)
      causes[result] = cause;
}

/// Notes of a path beyond this number would not help.
static constexpr int mostNotes = 8;

void OwnValues::refuse(Value value, const Twine &use, int64_t ranks) const {
  Operation *op = value.getDefiningOp();
  InFlightDiagnostic error = emitError(op ? op->getLoc() : train::FuncOp(func).getLoc());
  error << "expected " << use << " to be equal on all " << ranks
        << " ranks, but the value depends on the rows of one rank";
  Value cause = causes.lookup(value);
  for (int notes = 0; cause && notes < mostNotes; ++notes, cause = causes.lookup(cause)) {
    Operation *source = cause.getDefiningOp();
    if (source)
      error.attachNote(source->getLoc()) << "through " << nameOf(source);
    else
      error.attachNote(cause.getLoc()) << "from an input of the program";
  }
}

/// Use of a result that has to be equal on all ranks; nothing for results of tools.
static std::optional<std::string> useOf(Signature &signature, OpOperand &returned) {
  if (StringAttr state = signature.stateResult(returned.getOperandNumber()))
    return "the new value of @" + state.str();
  auto output = signature.result<train::OutputAttr>(returned);
  if (!output || output.getKind() == train::Output::Observed)
    return std::nullopt;
  return "the output '" + output.getPublicName() + "'";
}

static LogicalResult checkProgram(train::FuncOp func, int64_t ranks) {
  OwnValues own(func);
  Signature signature(func);
  for (OpOperand &returned : func.getBody().front().getTerminator()->getOpOperands()) {
    std::optional<std::string> use = useOf(signature, returned);
    if (!use || !own.contains(returned.get()))
      continue;
    own.refuse(returned.get(), *use, ranks);
    return failure();
  }
  return success();
}

namespace {
struct TrainCheckUniform : ampc::impl::TrainCheckUniformBase<TrainCheckUniform> {
  void runOnOperation() override {
    for (auto model : getOperation().getOps<train::ModelOp>())
      for (auto func : model.getOps<train::FuncOp>())
        if (int64_t ranks = ranksOf(model);
            ranks > 1 &&
            (func.is(train::Role::Train) || func.is(train::Role::Grad) ||
             func.is(train::Role::Apply)) &&
            failed(checkProgram(func, ranks)))
          return signalPassFailure();
  }
};
} // namespace
