// Followers of instances, as followers of parameters and buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Train/Model/Followers.h"
#include "ampc/Support/Nearest.h"
#include "mlir-dialects/Train/Program/RowState.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace ampc;

/// Rest of a name behind the instance: `@online` and "online.0.weight" -> ".0.weight"; empty for
/// the parameter itself, nullopt for other names.
static std::optional<StringRef> behind(StringRef name, StringRef instance) {
  if (!name.consume_front(instance) || !(name.empty() || name.starts_with(".")))
    return std::nullopt;
  return name;
}

static SmallVector<StringRef> namesOfParams(train::ModelOp model) {
  auto params = model.getOps<train::ParamOp>();
  return llvm::map_to_vector(params, [](train::ParamOp param) { return param.getSymName(); });
}

LogicalResult Followers::pair(train::FollowOp follow, SmallVectorImpl<Pair> &pairs) {
  for (auto target : model.getOps<StateOpInterface>()) {
    auto rest = behind(target.getSymName(), follow.getTarget());
    if (!rest || !isa<train::ParamOp, train::BufferOp>(*target) || isRowState(target))
      continue;
    std::string name = (follow.getSource() + *rest).str();
    auto source = dyn_cast_or_null<StateOpInterface>(model.lookupSymbol(name));
    if (!source || source->getName() != target->getName())
      return follow.emitOpError() << "expected a source for @" << target.getSymName() << ", but @"
                                  << name << " is none" << didYouMean(name, namesOfParams(model));
    if (source.getType() != target.getType())
      return follow.emitOpError() << "expected @" << target.getSymName() << " and its source @"
                                  << name << " to have equal types, but got " << target.getType()
                                  << " and " << source.getType();
    pairs.push_back({target, source});
  }
  if (!llvm::any_of(pairs, [](Pair each) { return isa<train::ParamOp>(*each.target); }))
    return follow.emitOpError() << "expected parameters that follow, but @" << follow.getTarget()
                                << " is no parameter and no instance with parameters"
                                << didYouMean(follow.getTarget(), namesOfParams(model));
  return success();
}

/// No tensor follows twice, and no source follows: first values and the order of updates would
/// depend on the order of ops.
LogicalResult Followers::checkSources() {
  llvm::SmallPtrSet<Operation *, 16> targets;
  for (auto &[follow, pairs] : all)
    for (Pair each : pairs)
      if (!targets.insert(each.target).second)
        return follow.emitOpError() << "expected a single source per parameter, but @"
                                    << each.target.getSymName() << " follows twice";
  for (auto &[follow, pairs] : all)
    for (Pair each : pairs)
      if (targets.contains(each.source))
        return follow.emitOpError() << "expected a source that follows no other parameter, but @"
                                    << each.source.getSymName() << " does";
  return success();
}

LogicalResult Followers::freeze() {
  for (auto follow : model.getOps<train::FollowOp>())
    if (failed(pair(follow, all.emplace_back(follow, SmallVector<Pair>()).second)))
      return failure();
  if (failed(checkSources()))
    return failure();
  for (auto &[follow, pairs] : all)
    for (Pair each : pairs) {
      setFirstValueSource(each.target,
                          StringAttr::get(model.getContext(), each.source.getSymName()));
      each.target->setAttr("init", train::ZerosAttr::get(model.getContext()));
      if (auto param = dyn_cast<train::ParamOp>(*each.target))
        param.setFrozen(true);
    }
  return success();
}

/// The step `after` which the targets change, or the only step that trains a source.
FailureOr<train::StepOp> Followers::stepOf(train::FollowOp follow, ArrayRef<Pair> pairs) {
  if (auto name = follow.getStepAttr()) {
    auto step = dyn_cast_or_null<train::StepOp>(model.lookupSymbol(name.getAttr()));
    if (!step)
      return follow.emitOpError() << "expected a step, but " << name << " is none", failure();
    return step;
  }
  train::StepOp found;
  for (auto step : model.getOps<train::StepOp>()) {
    auto trains = [&](Pair each) {
      auto name = FlatSymbolRefAttr::get(model.getContext(), each.source.getSymName());
      return llvm::is_contained(step.getParams(), Attribute(name));
    };
    if (llvm::none_of(pairs, trains))
      continue;
    if (found)
      return follow.emitOpError() << "expected the step, as after @" << found.getSymName() << ": @"
                                  << found.getSymName() << " and @" << step.getSymName()
                                  << " train @" << follow.getSource(),
             failure();
    found = step;
  }
  if (!found)
    return follow.emitOpError() << "expected a step that trains @" << follow.getSource()
                                << ", but none does",
           failure();
  return found;
}

/// Steps do not train a parameter that follows.
static LogicalResult checkIsNotTrained(train::ModelOp model, train::FollowOp follow,
                                       StateOpInterface target) {
  auto name = FlatSymbolRefAttr::get(model.getContext(), target.getSymName());
  for (auto step : model.getOps<train::StepOp>())
    if (llvm::is_contained(step.getParams(), Attribute(name)))
      return step.emitOpError() << "expected parameters that follow no other, but " << name
                                << " follows @" << follow.getSource();
  return success();
}

LogicalResult Followers::expand() {
  for (auto &[follow, pairs] : all) {
    FailureOr<train::StepOp> step = stepOf(follow, pairs);
    if (failed(step))
      return failure();
    OpBuilder builder(follow);
    for (Pair each : pairs) {
      if (failed(checkIsNotTrained(model, follow, each.target)))
        return failure();
      auto one = cast<train::FollowOp>(builder.clone(*follow));
      one.setTarget(each.target.getSymName());
      one.setSource(each.source.getSymName());
      one.setStepAttr(FlatSymbolRefAttr::get((*step).getSymNameAttr()));
    }
    follow.erase();
  }
  all.clear();
  return success();
}
