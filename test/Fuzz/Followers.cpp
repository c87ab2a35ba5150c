// Followers, added to a random model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Fuzz/Followers.h"
#include "mlir-dialects/Train/Program/Follow.h"
#include "mlir-dialects/Train/Program/Knob.h"
#include "mlir-dialects/Train/Text/KnobNumbers.h"
#include "test/Fuzz/Addition.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::fuzz;

namespace {
class Followers : Addition {
public:
  using Addition::Addition;
  void run();

private:
  bool isTrainedTwice(Attribute param);
  void follow(train::StepOp step, train::ParamOp source);
  void readBoth(train::FuncOp loss, StringRef source, StringRef target, RankedTensorType type);
  NamedAttribute decayByKnob();
};
} // namespace

bool Followers::isTrainedTwice(Attribute param) {
  return llvm::count_if(model.getOps<train::StepOp>(), [&](train::StepOp step) {
           return llvm::is_contained(step.getParams(), param);
         }) > 1;
}

/// Adds the mean of tanh(source * target) to the loss.
void Followers::readBoth(train::FuncOp loss, StringRef source, StringRef target,
                         RankedTensorType type) {
  builder.setInsertionPoint(loss.getBody().front().getTerminator());
  Value product = create("train.mul", {read(source, type), read(target, type)}, type);
  Value term = reduceAll("train.reduce_mean", create("train.tanh", product, type));
  Type element = getElementTypeOrSelf(loss.getBody().front().getTerminator()->getOperand(0));
  if (getElementTypeOrSelf(term) != element)
    term = create("train.cast", term, RankedTensorType::get({}, element));
  addToLoss(loss, term);
}

NamedAttribute Followers::decayByKnob() {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&model.getBody().front());
  std::string name = freeName("k");
  makeOp("train.knob", {}, {},
         {named("sym_name", builder.getStringAttr(name)), named("type", TypeAttr::get(real({}))),
          named("init", train::FillAttr::get(context, APFloat(0.75))),
          named("low", builder.getF64FloatAttr(0)), named("high", builder.getF64FloatAttr(1))});
  Attribute knob = FlatSymbolRefAttr::get(context, name);
  return named(knobsKey, builder.getDictionaryAttr(named("decay", knob)));
}

void Followers::follow(train::StepOp step, train::ParamOp source) {
  auto type = cast<RankedTensorType>(source.getType());
  std::string target = declare("train.param", "f", type, "#train.ones");
  SmallVector<NamedAttribute> attributes{
      named("target", FlatSymbolRefAttr::get(context, target)),
      named("source", FlatSymbolRefAttr::get(source.getSymNameAttr()))};
  bool averages = random.chance(0.7);
  if (averages)
    attributes.push_back(named(
        "decay", builder.getF64FloatAttr(random.pick(ArrayRef({0.0, 0.5, 0.75, 0.99, 1.0})))));
  if (averages && random.chance(0.3)) {
    attributes.back() = named("decay", builder.getF64FloatAttr(0.75));
    attributes.push_back(decayByKnob());
  }
  if (!averages || random.chance(0.3))
    attributes.push_back(
        named("every", builder.getI64IntegerAttr(random.pick(ArrayRef({1, 2, 3})))));
  Attribute name = FlatSymbolRefAttr::get(step.getSymNameAttr());
  if (random.chance(0.5) || isTrainedTwice(FlatSymbolRefAttr::get(source.getSymNameAttr())))
    attributes.push_back(named("step", name));
  builder.setInsertionPoint(step);
  makeOp("train.follow", {}, {}, attributes);
  readBoth(model.lookupSymbol<train::FuncOp>(step.getLoss()), source.getSymName(), target, type);
}

void Followers::run() {
  for (auto step : llvm::to_vector(model.getOps<train::StepOp>())) {
    SmallVector<train::ParamOp> sources;
    for (Attribute name : step.getParams())
      if (auto param = model.lookupSymbol<train::ParamOp>(cast<FlatSymbolRefAttr>(name).getAttr()))
        sources.push_back(param);
    for (int left = random.chance(0.5) ? 2 : 1; left && !sources.empty(); --left)
      follow(step, random.pick(sources));
  }
}

void fuzz::addFollowers(ModuleOp module, Random &random) {
  for (auto model : module.getOps<train::ModelOp>())
    Followers(model, random).run();
}
