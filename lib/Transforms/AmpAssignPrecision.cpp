// The precision of whole programs, by one of several policies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AmpPrecision.h"
#include "ampc/Transforms/Passes.h"
#include "llvm/Support/MemoryBuffer.h"

namespace ampc {
#define GEN_PASS_DEF_AMPASSIGNPRECISION
#include "ampc/Transforms/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// One remark per op, at the source line, with the name that overrides match.
static void explainOps(const PrecisionFacts &facts, const Assignment &assignment) {
  for (Operation *op : facts.ops) {
    auto reason = assignment.reasons.find(op);
    if (reason != assignment.reasons.end())
      mlir::emitRemark(op->getLoc())
          << nameOf(op) << ": " << op->getName() << " computes in " << assignment.compute.lookup(op)
          << " (" << reason->second.rule << "): " << reason->second.text;
  }
}

static void explainCosts(const PrecisionFacts &facts, const Pins &pins) {
  auto remark = mlir::emitRemark(facts.func.getLoc());
  remark << "bytes moved by @" << facts.func.getSymName()
         << " under the same compute types: mincut "
         << storageCost(facts, pins, assignMinCut(facts, pins));
  MLIRContext *context = facts.func.getContext();
  for (StringRef policy : {"autocast", "propagate"}) {
    PolicyTable table = *PolicyTable::builtin(policy, context);
    PrecisionFacts view(facts.func, facts.low, table);
    FailureOr<Assignment> other =
        policy == "autocast" ? assignAutocast(view) : FailureOr<Assignment>(assignPropagate(view));
    if (succeeded(other))
      remark << ", " << policy << " " << storageCost(facts, pins, *other);
  }
}

namespace {
struct AmpAssignPrecision : ampc::impl::AmpAssignPrecisionBase<AmpAssignPrecision> {
  using AmpAssignPrecisionBase::AmpAssignPrecisionBase;
  void runOnOperation() override {
    if (failed(readOptions()))
      return signalPassFailure();
    for (auto model : getOperation().getOps<train::ModelOp>()) {
      if (failed(checkProfile(model)))
        return signalPassFailure();
      WorkingCopies copies;
      for (auto func : model.getOps<train::FuncOp>())
        if (failed(assign(func, copies)))
          return signalPassFailure();
      addWorkingCopies(model, copies, masterWeights);
    }
  }

private:
  LogicalResult readOptions();
  LogicalResult checkProfile(train::ModelOp model);
  LogicalResult assign(train::FuncOp func, WorkingCopies &copies);
  LogicalResult fail(const Twine &message) { return getOperation()->emitError() << message; }

  PolicyTable table;
  Type low;
  std::optional<Profile> measured;
};
} // namespace

LogicalResult AmpAssignPrecision::readOptions() {
  Builder b(&getContext());
  low = llvm::StringSwitch<Type>(precision)
            .Case("f32", b.getF32Type())
            .Case("bf16", b.getBF16Type())
            .Case("f16", b.getF16Type())
            .Default(Type());
  if (!low)
    return fail("expected precision f32, bf16 or f16, but got " + precision);
  auto builtin = PolicyTable::builtin(policy, &getContext());
  if (!builtin)
    return fail("expected policy mincut, autocast, autocast-cpu or propagate, but got " + policy);
  table = std::move(*builtin);
  std::string text;
  if (!policyFile.empty()) {
    auto file = llvm::MemoryBuffer::getFile(policyFile);
    if (!file)
      return fail("cannot read " + policyFile + ": " + file.getError().message());
    text = (*file)->getBuffer().str();
  }
  if (llvm::Error error = table.add(text, &getContext()))
    return fail(policyFile + ": " + llvm::toString(std::move(error)));
  for (const std::string &edit : edits)
    if (llvm::Error error = table.add(edit, &getContext()))
      return fail("edit " + edit + ": " + llvm::toString(std::move(error)));
  for (const std::string &line : overrides)
    if (llvm::Error error = table.add("name " + line, &getContext()))
      return fail("override " + line + ": " + llvm::toString(std::move(error)));
  if (profile.empty())
    return success();
  if (!low.isF16())
    return fail("expected precision f16 with a profile, which says what fits f16, but got " +
                precision);
  llvm::Expected<Profile> read = Profile::read(profile);
  if (!read)
    return fail(llvm::toString(read.takeError()));
  measured = std::move(*read);
  return success();
}

LogicalResult AmpAssignPrecision::checkProfile(train::ModelOp model) {
  if (!measured)
    return success();
  auto wrong = [&](const Twine &what) {
    return model.emitError() << "expected a profile of this model in " << profile << ", but "
                             << what;
  };
  if (model.getSymName() != measured->model)
    return wrong("it is one of @" + measured->model);
  for (auto func : model.getOps<train::FuncOp>()) {
    auto role = func->getAttrOfType<StringAttr>("train.role"),
         step = func->getAttrOfType<StringAttr>("train.step");
    if (!role || role != "train" || !step || step != measured->step)
      continue;
    std::optional<std::string> difference = measured->mismatch(func);
    return difference ? wrong(*difference) : success();
  }
  return wrong("the model lacks its step @" + measured->step);
}

/// Evaluations and exports hold the values of the step's forward pass.
static bool isProfiled(train::FuncOp func, const Profile &profile) {
  auto step = func->getAttrOfType<StringAttr>("train.step");
  return !step || step == profile.step;
}

LogicalResult AmpAssignPrecision::assign(train::FuncOp func, WorkingCopies &copies) {
  PrecisionFacts facts(func, low, table,
                       measured && isProfiled(func, *measured) ? &*measured : nullptr);
  if (policy != "mincut")
    facts.forceMisfits();
  bool narrow =
      llvm::any_of(facts.ops, [&](Operation *op) { return facts.lowOf(op) != facts.f32; });
  if (!narrow)
    return success();
  Assignment assignment;
  if (policy == "mincut") {
    Pins pins = findPins(facts);
    assignment = assignMinCut(facts, pins);
    if (explain)
      explainCosts(facts, pins);
  } else if (policy == "propagate") {
    assignment = assignPropagate(facts);
  } else {
    FailureOr<Assignment> found = assignAutocast(facts);
    if (failed(found))
      return failure();
    assignment = std::move(*found);
  }
  if (explain)
    explainOps(facts, assignment);
  emitAssignment(facts, assignment, copies);
  return success();
}
