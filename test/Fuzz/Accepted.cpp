// Random models that the compiler accepts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/Pipelines.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "test/Fuzz/Followers.h"
#include "test/Fuzz/Generator.h"
#include "test/Fuzz/Knobs.h"
#include "test/Fuzz/RowStates.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

/// The compiler's error about the model, up to differentiation; empty if the model is accepted.
static std::string refusalOf(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  std::string message;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && message.empty())
      message = diagnostic.str();
    return success();
  });
  PassManager pm(module.getContext());
  for (StringRef phase : {"import", "simplify", "autodiff"})
    findPhase(phase)->addTo(pm, CompileOptions());
  if (succeeded(pm.run(*copy)))
    return "";
  return message.empty() ? "no message" : message;
}

/// Freezes the parameter that `message` says the loss of a step does not depend on.
static bool leaveOut(ModuleOp module, StringRef message) {
  std::pair<StringRef, StringRef> parts = message.split("to depend on @");
  StringRef before = parts.first, param = parts.second.split(',').first;
  if (!before.contains("the loss of step @"))
    return false;
  bool isLeft = false;
  module.walk([&](train::StepOp step) {
    SmallVector<Attribute> params;
    for (Attribute name : step.getParams())
      if (cast<FlatSymbolRefAttr>(name).getValue() != param ||
          !before.contains("@" + step.getSymName().str()))
        params.push_back(name);
    isLeft |= params.size() < step.getParams().size() && !params.empty();
    if (isLeft) {
      step.setParamsAttr(ArrayAttr::get(module.getContext(), params));
      step.removeGroupsAttr();
      keepKnobsOfGroups(step, {});
    }
  });
  module.walk([&](train::ParamOp op) {
    if (op.getSymName() == param)
      op->setAttr("frozen", UnitAttr::get(op.getContext()));
  });
  return isLeft;
}

/// Lets the steps have whole batches, if `message` says that parts do not give their loss.
static bool leaveWhole(ModuleOp module, StringRef message) {
  if (!message.contains("micro-batches") && !message.contains("to have a row per row"))
    return false;
  bool isCut = false;
  module.walk([&](train::StepOp step) {
    isCut |= step.getMicroBatches().has_value();
    step.removeMicroBatchesAttr();
  });
  return isCut;
}

/// Says the fans of the parameter for which `message` says that no op does.
static bool giveFans(ModuleOp module, StringRef message) {
  StringRef name = message.split('@').second.split(' ').first;
  bool isGiven = false;
  if (message.split('@').first.contains("fan_in"))
    module.walk([&](train::ParamOp op) {
      if (op.getSymName() != name)
        return;
      op->setAttr("init", op.getInit().withFans({8, 5}));
      isGiven = true;
    });
  return isGiven;
}

/// Adds buffers per row of the batch to a sixth of the models, knobs to a sixth, and followers
/// to an eighth. The streams are separate, so that models without them stay the same.
static void addState(ModuleOp module, uint64_t seed, uint64_t attempt) {
  uint64_t again = attempt << 32;
  if (Random(seed ^ 0x4057A7E).chance(1.0 / 6)) {
    Random random((seed + again) ^ 0x20057A7E);
    addRowStates(module, random);
  }
  if (Random(seed ^ 0x6B0B5).chance(1.0 / 6)) {
    Random random((seed + again) ^ 0x206B0B5);
    addKnobs(module, random);
  }
  if (Random(seed ^ 0xF0110).chance(1.0 / 8)) {
    Random random((seed + again) ^ 0x20F0110);
    addFollowers(module, random);
  }
}

std::string fuzz::makeModel(const Definitions &definitions, uint64_t seed, MLIRContext *context) {
  OwningOpRef<ModuleOp> module;
  bool isGood = false;
  for (uint64_t attempt = 0; attempt < 20 && !isGood; ++attempt) {
    module = Generator(definitions, seed + (attempt << 32), context).run();
    addState(*module, seed, attempt);
    for (int left = 0; left < 8 && !isGood; ++left) {
      std::string message = refusalOf(*module);
      isGood = message.empty();
      if (!isGood && !leaveOut(*module, message) && !leaveWhole(*module, message) &&
          !giveFans(*module, message))
        break;
    }
  }
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}
