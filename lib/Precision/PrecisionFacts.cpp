// Facts on a function that every precision policy builds on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/PrecisionFacts.h"
#include "lib/Precision/Ranges.h"
#include "lib/Train/Model/Mode.h"
#include "mlir-dialects/Train/Backward.h"
#include "mlir-dialects/Train/Signature.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace ampc;

static Demand demandOf(Operation *op, const PolicyTable &table) {
  Demand demand;
  Attribute region = op->getAttr("amp.region");
  if (!region)
    region = noteOf(op->getLoc(), "amp.region");
  if (auto type = dyn_cast_or_null<TypeAttr>(region)) {
    demand = {type.getValue(), /*disabled=*/false, /*forced=*/isa<Float32Type>(type.getValue()),
              "a region of the model asks for it"};
  } else if (region) {
    demand = {Type(), /*disabled=*/true, /*forced=*/false,
              "a region of the model disables autocast"};
  }
  auto compute = op->getAttrOfType<TypeAttr>("compute");
  if (!compute) // a part of an op that has it, or of its adjoint
    compute = dyn_cast_or_null<TypeAttr>(noteOf(op->getLoc(), "amp.compute"));
  if (compute)
    demand = {compute.getValue(),
              /*disabled=*/false,
              /*forced=*/true,    "its attribute `compute` fixes the type",
              std::nullopt,       "compute"};
  for (const Override &line : table.overrides)
    if (line.matches(op))
      demand = {line.type, false, true, "the override \"" + line.pattern + "\" fixes the type",
                line.mode};
  return demand;
}

PrecisionFacts::PrecisionFacts(train::FuncOp func, Type low, const PolicyTable &table,
                               const StepProfile *profile, double scale)
    : func(func), low(low), f32(Float32Type::get(func.getContext())) {
  BackwardOps behindSeed(func.getBody().front());
  auto note = [&](ValueRange values) {
    for (Value v : values)
      if (getElementTypeOrSelf(v) == f32)
        real.insert(v);
  };
  note(func.getArguments());
  for (Operation &op : func.getBody().front().without_terminator()) {
    ops.push_back(&op);
    note(op.getResults());
    auto isFloat = [](Value v) { return isa<FloatType>(getElementTypeOrSelf(v)); };
    auto isOther = [&](Value v) { return isFloat(v) && !isReal(v); };
    bool touchesReal = llvm::any_of(op.getOperands(), [&](Value v) { return isReal(v); }) ||
                       llvm::any_of(op.getResults(), [&](Value v) { return isReal(v); });
    bool other = llvm::any_of(op.getOperands(), isOther) || llvm::any_of(op.getResults(), isOther);
    demands[&op] = demandOf(&op, table);
    treatments[&op] = table.lookup(&op);
    if (touchesReal && !other && isa<PrecisionOpInterface>(op) &&
        !op.hasTrait<OpTrait::ConstantLike>())
      decided.insert(&op);
    if (behindSeed.contains(&op) && !op.hasAttr("compute"))
      backward.insert(&op);
    if (auto name = dyn_cast<NameLoc>(op.getLoc())) {
      groups[&op] = name.getName().getValue();
      byName.try_emplace(name.getName().getValue(), &op);
    }
  }
  findWeak();
  keepsChains = table.keepsChains;
  findInner();
  findMagnified();
  widenMisfits();
  widenContractions();
  narrow();
  if (profile)
    readProfile(*profile, scale);
}

/// What is fixed to a type that cannot hold a constant of the op is computed in f32 after all.
void PrecisionFacts::widenMisfits() {
  for (Operation *op : ops) {
    Demand &demand = demands[op];
    if (!isDecided(op) || !demand.forced || !isa<FloatType>(demand.type) || demand.type == f32)
      continue;
    auto misfit = constantMisfit(op, demand.type);
    if (!misfit)
      continue;
    warnings.push_back({op->getLoc(), nameOf(op) + ": expected '" + textOf(demand.type) +
                                          "' to hold the op's numbers, but " + *misfit +
                                          ": it computes in f32"});
    demand = {f32,
              /*disabled=*/false,
              /*forced=*/true,
              *misfit + ", although " + demand.source,
              std::nullopt,
              "range"};
  }
}

/// What is known not to fit is not rounded on the way into a contraction either: that computes in
/// f32.
void PrecisionFacts::widenContractions() {
  for (Operation *op : ops) {
    Type type = lowOf(op);
    if (!isDecided(op) || demands[op].forced || type == f32 ||
        cast<PrecisionOpInterface>(op).getCategory() != Category::LowPrecision)
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isReal(operand.get()) ||
          cast<PrecisionOpInterface>(op).operandStaysFull(operand.getOperandNumber()))
        continue;
      auto misfit = constantMisfit(operand.get(), type);
      if (!misfit)
        misfit = rangeMisfit(operand.get(), type);
      if (misfit)
        demands[op] = {f32,
                       /*disabled=*/false,
                       /*forced=*/true,
                       "its operand does not fit " + textOf(type) + ": " + *misfit,
                       std::nullopt,
                       "range"};
    }
  }
}

/// The same for what a profile says.
void PrecisionFacts::readProfile(const StepProfile &profile, double scale) {
  const FloatFormat &format = *findFormat(low);
  DenseMap<Value, const ValueProfile *> known;
  for (const KeyedValue &keyed : keyValues(func))
    if (const ValueProfile *value = profile.find(keyed.key); value && isReal(keyed.value)) {
      known[keyed.value] = value;
      if (std::optional<std::string> why = profile.misfit(*value, format, scale))
        misfits[keyed.value] = *why;
    }
  for (Operation *op : ops)
    if (const ValueProfile *sum = mayCancel(op) ? known.lookup(op->getResult(0)) : nullptr)
      for (Value operand : op->getOperands())
        if (const ValueProfile *value = known.lookup(operand))
          if (std::optional<std::string> why = profile.cancellation(*value, *sum, format))
            misfits.try_emplace(operand, *why);
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (const std::string *why = misfit(operand);
          why && isDecided(op) && treatment(op) == Treatment::Low && !demands[op].forced)
        demands[op] = {f32, /*disabled=*/false, /*forced=*/true,
                       "its operand does not fit " + textOf(low) + ": " + *why};
}

/// Near a singularity, and where near numbers are subtracted on the way there, 16 bits may hold
/// none of the digits that count: 1 - sigmoid(x) is 0 in bf16 from x = 6 on, and its logarithm
/// infinite.
void PrecisionFacts::findMagnified() {
  DenseSet<Value> cancelled; // read by an op of which a small difference is left
  for (Operation *op : llvm::reverse(ops)) {
    if (!isDecided(op))
      continue;
    auto precision = cast<PrecisionOpInterface>(op);
    Value result = op->getResult(0);
    bool passes = isa<ScalarOpInterface>(op) && (precision.getCategory() == Category::Promote ||
                                                 precision.getCategory() == Category::Passthrough);
    for (OpOperand &operand : op->getOpOperands()) {
      Value v = operand.get();
      if (!isReal(v) || isWeak(v) || !v.getDefiningOp())
        continue;
      Conditioning conditioning = precision.getConditioning(operand.getOperandNumber());
      if (conditioning == Conditioning::Singular)
        magnifications.try_emplace(v, "rounded it may fall on a singularity of " +
                                          op->getName().getStringRef().str() + " at " + nameOf(op));
      const std::string *why = magnified(result);
      bool cancels = conditioning == Conditioning::Cancels;
      if (!why || !(cancels || movesElements(op) || (passes && cancelled.contains(result))))
        continue;
      magnifications.try_emplace(v, std::string(*why)); // *why may move
      if (cancels || cancelled.contains(result))
        cancelled.insert(v);
    }
  }
}

void PrecisionFacts::forceMisfits() {
  auto force = [&](Operation *op, const std::string &why, StringRef rule) {
    if (isDecided(op) && !demands[op].forced)
      demands[op] = {f32, /*disabled=*/false, /*forced=*/true, why, std::nullopt, rule};
  };
  for (auto &[value, why] : misfits)
    if (Operation *op = value.getDefiningOp())
      force(op, why, "profile");
  for (auto &[value, why] : magnifications)
    if (treatment(value.getDefiningOp()) != Treatment::Low)
      force(value.getDefiningOp(), why, "cancellation");
  for (Operation *op : ops)
    if (auto why = constantMisfit(op, lowOf(op)))
      force(op, *why, "range");
}

Type PrecisionFacts::lowOf(Operation *op) const {
  Demand demand = demands.lookup(op);
  if (demand.disabled)
    return f32;
  return demand.type && isa<FloatType>(demand.type) ? demand.type : low;
}

Operation *PrecisionFacts::forwardOf(Operation *op) const {
  StringRef name = group(op);
  return name.ends_with(".grad") ? byName.lookup(sourceName(name)) : nullptr;
}

// A gather reads a few rows of a table: casting the table for it would cost more than it saves.
void PrecisionFacts::findWeak() {
  DenseSet<StringAttr> params;
  for (auto param : func->getParentOfType<train::ModelOp>().getOps<train::ParamOp>())
    params.insert(param.getSymNameAttr());
  for (BlockArgument argument : func.getArguments())
    if (StringAttr state = Signature(func).stateArgument(argument.getArgNumber()))
      if (isReal(argument) && params.contains(state))
        weak.insert(argument);
  for (Operation *op : ops) {
    if (op->hasTrait<OpTrait::ConstantLike>()) {
      if (isReal(op->getResult(0)))
        weak.insert(op->getResult(0));
      continue;
    }
    auto precision = dyn_cast<PrecisionOpInterface>(op);
    if (!isDecided(op) || precision.getCategory() != Category::Passthrough ||
        op->getNumResults() != 1 || op->getNumOperands() != 1 || demand(op).forced ||
        !isWeak(op->getOperand(0)))
      continue;
    auto from = cast<RankedTensorType>(op->getOperand(0).getType()),
         to = cast<RankedTensorType>(op->getResult(0).getType());
    if (from.getElementType() == to.getElementType() && movesOnly(op))
      weak.insert(op->getResult(0));
  }
}

/// A bias, or a number: what an epilogue adds to an accumulator.
bool PrecisionFacts::joinsEpilogue(Operation *op, Value accumulator) const {
  return isa<ScalarOpInterface>(op) && isGray(treatment(op)) &&
         llvm::all_of(op->getOperands(), [&](Value v) { return v == accumulator || isWeak(v); });
}

/// One result, whose type is up to the policy.
bool PrecisionFacts::isFree(Operation *op) const {
  return isDecided(op) && !demand(op).forced && lowOf(op) != f32 && op->getNumResults() == 1;
}

/// A step of a formula that is made again for the backward pass from what that keeps: all readers
/// are pointwise, and so is everything up to a stored value.
bool PrecisionFacts::isRemade(Value v) const {
  auto isPointwise = [&](Operation *op) {
    return isFree(op) && isGray(treatment(op)) && isa<ScalarOpInterface>(op) &&
           elements(op->getResult(0)) == elements(v);
  };
  Operation *op = v.getDefiningOp();
  return !v.use_empty() && !isBackward(op) && isPointwise(op) &&
         llvm::all_of(v.getUsers(), isPointwise) && llvm::all_of(op->getOperands(), [&](Value x) {
           return !isReal(x) || isWeak(x) || !isInner(x) || remade.contains(x);
         });
}

/// The value is never stored: one pointwise op reads it, in the kernel that makes it, or the
/// backward pass makes it again. Layers that a model writes out as products, biases and formulas
/// round where library calls do.
bool PrecisionFacts::staysInKernel(Value v) const {
  if (remade.contains(v))
    return true;
  Operation *op = v.getDefiningOp();
  if (!keepsChains || !v.hasOneUse() || !isFree(op))
    return false;
  Operation *user = *v.getUsers().begin();
  Value accumulator = v;
  while (isFree(user) && movesElements(user) && user->getResult(0).hasOneUse()) {
    accumulator = user->getResult(0);
    user = *accumulator.getUsers().begin();
  }
  if (!isFree(user) || isBackward(user) != isBackward(op) || lowOf(user) != lowOf(op) ||
      elements(v) != elements(user->getResult(0)))
    return false;
  bool accumulates =
      treatment(op) == Treatment::Low || (movesElements(op) && isInner(op->getOperand(0)));
  if (accumulates)
    return !isBackward(op) && joinsEpilogue(user, accumulator);
  return accumulator == v && isGray(treatment(op)) && isGray(treatment(user)) &&
         isa<ScalarOpInterface>(op) && isa<ScalarOpInterface>(user);
}

// Adjoints and composite ops round what they give, not what they are made of. A cotangent that an
// adjoint begins by reshaping is still the other op's result.
void PrecisionFacts::findInner() {
  auto isFanIn = [](Operation *op) { return op->hasAttr("train.fan_in"); };
  for (Operation *op : ops) {
    if (!isDecided(op) || op->hasAttr("compute"))
      continue;
    StringRef name = group(op);
    bool movesIn = movesOnly(op) && isReal(op->getOperand(0)) && !isInner(op->getOperand(0));
    for (Value result : op->getResults()) {
      if (!isReal(result) || result.use_empty() || isWeak(result))
        continue;
      bool partOfGroup =
          !name.empty() && !movesIn &&
          llvm::all_of(result.getUsers(), [&](Operation *user) { return group(user) == name; });
      if (keepsChains && isRemade(result))
        remade.insert(result);
      bool partialSum = isFanIn(op) && result.hasOneUse() && isFanIn(*result.getUsers().begin());
      if (partOfGroup || partialSum)
        inner.insert(result);
      else if (staysInKernel(result)) {
        chained.insert(result);
        inner.insert(result);
      }
    }
  }
}

//===--- Treatment Narrow ---------------------------------------------------------------------===//

static bool isSingle(Value v) { return cast<RankedTensorType>(v.getType()).getNumElements() == 1; }

/// What the program keeps for later steps, such as running statistics.
static bool isStateResult(train::FuncOp func, OpOperand &use) {
  return isa<train::ReturnOp>(use.getOwner()) &&
         Signature(func).stateResult(use.getOperandNumber());
}

/// Why a result of the op is a number inside some op of the model rather than one of its tensors.
std::optional<Reason> PrecisionFacts::whyInternal(Operation *op,
                                                  const DenseSet<Value> &statistics) const {
  auto results = llvm::make_filter_range(op->getResults(), [&](Value v) { return isReal(v); });
  auto all = [&](auto test) { return llvm::all_of(results, test); };
  if (all(isSingle))
    return Reason{"statistic", "single numbers (counts, losses, their cotangents) stay in f32"};
  auto isFloat = [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); };
  if (isa<train::CastOp>(op) && llvm::none_of(op->getOperandTypes(), isFloat))
    return Reason{"integer", "16 bits do not hold every integer"};
  if (!isa<train::GradientOp>(op) && all([&](Value v) {
        return llvm::all_of(v.getUses(), [&](OpOperand &use) { return isStateResult(func, use); });
      }))
    return Reason{"state", "state of the model is f32"};
  StringRef name = group(op);
  auto isWithin = [&](OpOperand &use, bool ofSource) {
    StringRef user = group(use.getOwner());
    return isStateResult(func, use) ||
           (!name.empty() && (ofSource ? sourceName(user) == sourceName(name) : user == name));
  };
  if (all([&](Value v) {
        return statistics.contains(v) && llvm::all_of(v.getUses(), [&](OpOperand &use) {
                 return isWithin(use, /*ofSource=*/true);
               });
      }))
    return Reason{"statistic", "a statistic of the op stays in f32"};
  if (all([&](Value v) { return isInner(v); }))
    return Reason{"partial-result", "only the result of an op is rounded, not its parts"};
  // What moves a tensor of the model has nothing to protect.
  bool moves = cast<PrecisionOpInterface>(op).getCategory() == Category::Passthrough &&
               llvm::any_of(op->getOperands(), [&](Value v) {
                 return isReal(v) && !isWeak(v) && !isInner(v) && v.getDefiningOp();
               });
  if (!moves && all([&](Value v) {
        return llvm::all_of(v.getUses(),
                            [&](OpOperand &use) { return isWithin(use, /*ofSource=*/false); });
      }))
    return Reason{"partial-result", "only the result of an op is rounded, not its parts"};
  return std::nullopt;
}

// Apex's O3 has f16 tensors between ops. Inside them kernels count, add up and normalize in f32
// there as well: a batch norm over 65536 pixels must not round their number, which f16 does not
// hold.
void PrecisionFacts::narrow() {
  DenseSet<Value> statistics; // sums over dimensions, and what is computed from nothing else
  auto mayStay = [&](Operation *op) {
    return low != f32 && isDecided(op) && treatment(op) == Treatment::Narrow &&
           !demands[op].forced && !demands[op].disabled && lowOf(op) != f32 &&
           llvm::none_of(op->getResults(), [&](Value v) { return isWeak(v); });
  };
  for (Operation *op : ops) {
    if (!mayStay(op))
      continue;
    auto operands = llvm::to_vector(llvm::make_filter_range(
        op->getOperands(), [&](Value v) { return isReal(v) && !isWeak(v); }));
    auto size = [](Value v) { return cast<RankedTensorType>(v.getType()).getNumElements(); };
    bool sums = cast<PrecisionOpInterface>(op).getCategory() == Category::FullPrecision;
    for (Value result : op->getResults())
      if (!operands.empty() && llvm::all_of(operands, [&](Value v) {
            return statistics.contains(v) || isSingle(v) || (sums && size(v) > size(result));
          }))
        statistics.insert(result);
    std::optional<Reason> why = whyInternal(op, statistics);
    if (auto misfit = constantMisfit(op, lowOf(op)); !why && misfit)
      why = {"range", *misfit};
    if (const std::string *magnification = magnified(op->getResult(0));
        !why && magnification &&
        cast<PrecisionOpInterface>(op).getCategory() != Category::LowPrecision)
      why = {"cancellation", *magnification};
    for (Value result : op->getResults())
      if (auto misfit = isReal(result) ? rangeMisfit(result, lowOf(op)) : std::nullopt;
          !why && misfit)
        why = {"range", *misfit};
    bool moves = cast<PrecisionOpInterface>(op).getCategory() == Category::Passthrough;
    bool readsFull = !moves && llvm::any_of(operands, [&](Value v) { return isInner(v); });
    if (why)
      for (Value result : op->getResults())
        if (isReal(result))
          inner.insert(result);
    demands[op] =
        why ? Demand{f32, false, true, why->text, std::nullopt, why->rule}
            : Demand{lowOf(op),    false,    true,     "the policy stores everything in 16 bits",
                     std::nullopt, "narrow", readsFull};
  }
}
