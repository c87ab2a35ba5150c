// Freezing of parameters by --freeze, e.g. --freeze=encoder.*.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Nearest.h"
#include "ampc/Train/Passes.h"
#include "lib/Train/Model/NamePatterns.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "mlir-dialects/Train/Train.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"

namespace ampc {
#define GEN_PASS_DEF_TRAINFREEZE
#include "ampc/Train/Passes.h.inc"
} // namespace ampc
using namespace mlir;
using namespace ampc;

/// Parameters of the list without the frozen names. Patterns were expanded before.
static SmallVector<Attribute> withoutNames(ArrayAttr params, const llvm::StringSet<> &names) {
  return llvm::filter_to_vector(params, [&](Attribute p) {
    auto symbol = dyn_cast<FlatSymbolRefAttr>(p);
    return !symbol || !names.contains(symbol.getValue());
  });
}

/// Removes frozen parameters from the step and from its groups; empty groups are dropped.
static void removeFrozen(train::StepOp step, const llvm::StringSet<> &frozen) {
  Builder b(step.getContext());
  step.setParamsAttr(b.getArrayAttr(withoutNames(step.getParams(), frozen)));
  if (!step.getGroups())
    return;
  SmallVector<Attribute> groups;
  SmallVector<int64_t> kept; // numbers of groups before
  for (auto [number, group] : llvm::enumerate(step.getEachGroup()))
    if (auto params = withoutNames(group.getParams(), frozen); !params.empty()) {
      groups.push_back(group.withParams(b.getArrayAttr(params)));
      kept.push_back(number);
    }
  keepKnobsOfGroups(step, kept);
  if (groups.empty())
    step.removeGroupsAttr();
  else
    step.setGroupsAttr(b.getArrayAttr(groups));
}

namespace {
struct TrainFreeze : ampc::impl::TrainFreezeBase<TrainFreeze> {
  using TrainFreezeBase::TrainFreezeBase;

  void runOnOperation() override {
    for (auto model : getOperation().getOps<train::ModelOp>())
      if (failed(freeze(model)))
        return signalPassFailure();
  }

private:
  /// Adds the model's parameters that match the pattern.
  LogicalResult match(train::ModelOp model, StringRef pattern, llvm::StringSet<> &frozen) {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern, maxPatterns);
    if (!glob)
      return model.emitError() << "expected --freeze to be a pattern with * and ?, but got "
                               << pattern << ": " << llvm::toString(glob.takeError());
    bool found = false;
    for (auto param : model.getOps<train::ParamOp>())
      if (glob->match(param.getSymName())) {
        frozen.insert(param.getSymName());
        found = true;
      }
    if (found)
      return success();
    auto names = llvm::map_to_vector(model.getOps<train::ParamOp>(),
                                     [](train::ParamOp p) { return p.getSymName().str(); });
    return model.emitError() << "expected --freeze to match a parameter ("
                             << llvm::join(names, ", ") << "), but got " << pattern
                             << didYouMean(pattern, names);
  }

  LogicalResult freeze(train::ModelOp model) {
    llvm::StringSet<> frozen;
    for (const std::string &pattern : patterns)
      if (failed(match(model, pattern, frozen)))
        return failure();
    for (auto step : model.getOps<train::StepOp>()) {
      if (!step.getParams().empty() && withoutNames(step.getParams(), frozen).empty())
        return step.emitError() << "expected --freeze to leave a parameter to step @"
                                << step.getSymName() << ", but the patterns match all parameters";
      removeFrozen(step, frozen);
    }
    for (auto param : model.getOps<train::ParamOp>())
      if (frozen.contains(param.getSymName()))
        param.setFrozen(true);
    return success();
  }
};
} // namespace
