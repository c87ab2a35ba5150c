// Expansion of name patterns in parameter lists.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Model/NamePatterns.h"
#include "ampc/Support/Nearest.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace ampc;

namespace {
/// Parameters of a step or group, in list order: a symbol adds a parameter, a pattern adds all
/// matches, and a pattern behind ! removes its matches. Example: ["*", "!*.bias"].
class ParameterList {
public:
  ParameterList(train::StepOp step, ArrayRef<Attribute> candidates)
      : step(step), candidates(candidates) {}

  LogicalResult add(Attribute each) {
    auto text = dyn_cast<StringAttr>(each);
    if (isa<FlatSymbolRefAttr>(each)) {
      list.insert(each);
      return success();
    }
    if (!text)
      return step.emitOpError() << "expected parameters or patterns of names, but got " << each;
    StringRef pattern = text.getValue();
    bool takesAway = pattern.consume_front("!");
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern, maxPatterns);
    if (!glob)
      return step.emitOpError() << "expected a pattern of names, but got \"" << pattern
                                << "\": " << llvm::toString(glob.takeError());
    if (candidates.empty())
      return step.emitOpError() << "expected a model with a parameter that is not frozen, for the "
                                   "step to change, but the model has none";
    bool any = false;
    for (Attribute symbol : candidates)
      if (glob->match(cast<FlatSymbolRefAttr>(symbol).getValue())) {
        any = true;
        takesAway ? (void)list.remove(symbol) : (void)list.insert(symbol);
      }
    if (!any)
      return step.emitOpError() << "expected a pattern that a parameter matches, but none that is "
                                   "not frozen matches \""
                                << pattern << '"' << didYouMean(pattern, names());
    return success();
  }
  ArrayRef<Attribute> get() const { return list.getArrayRef(); }

private:
  SmallVector<StringRef> names() const {
    return llvm::map_to_vector(
        candidates, [](Attribute symbol) { return cast<FlatSymbolRefAttr>(symbol).getValue(); });
  }

  train::StepOp step;
  ArrayRef<Attribute> candidates;
  llvm::SetVector<Attribute> list;
};
} // namespace

static bool hasPattern(ArrayAttr list) { return llvm::any_of(list, llvm::IsaPred<StringAttr>); }

static FailureOr<ArrayAttr> expandList(train::StepOp step, ArrayAttr list,
                                       ArrayRef<Attribute> candidates) {
  if (!hasPattern(list))
    return list;
  ParameterList expanded(step, candidates);
  for (Attribute each : list)
    if (failed(expanded.add(each)))
      return failure();
  return ArrayAttr::get(list.getContext(), expanded.get());
}

/// Expands the patterns of groups, which match parameters of the step only.
static LogicalResult expandGroups(train::StepOp step) {
  SmallVector<Attribute> groups;
  for (train::GroupAttr group : step.getEachGroup()) {
    FailureOr<ArrayAttr> list = expandList(step, group.getParams(), step.getParams().getValue());
    if (failed(list))
      return failure();
    groups.push_back(group.withParams(*list));
  }
  if (!groups.empty())
    step.setGroupsAttr(ArrayAttr::get(step.getContext(), groups));
  return success();
}

LogicalResult ampc::expandPatterns(train::ModelOp model) {
  SmallVector<Attribute> learned;
  for (auto param : model.getOps<train::ParamOp>())
    if (!param.getFrozen())
      learned.push_back(FlatSymbolRefAttr::get(param.getSymNameAttr()));
  for (auto step : model.getOps<train::StepOp>()) {
    FailureOr<ArrayAttr> list = expandList(step, step.getParams(), learned);
    if (failed(list))
      return failure();
    step.setParamsAttr(*list);
    if (failed(expandGroups(step)))
      return failure();
  }
  return success();
}
