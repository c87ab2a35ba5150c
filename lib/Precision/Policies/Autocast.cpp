// Policies `autocast` and `autocast-cpu`, the rules of torch.autocast: types follow lists and
// operands, op by op; the backward pass follows the forward pass.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Casts.h"
#include "lib/Precision/Policies/Policies.h"
#include "lib/Precision/PrecisionAnalysis.h"
#include "mlir-dialects/Train/Ops/Loops.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

// Lists of an op are in the op's dialect entry. Source: pytorch, aten/src/ATen/autocast_mode.h,
// lists of CUDA and XPU, and autocast_mode.cpp for CPUs. Ops on no list run in the types of their
// operands.
namespace {
class Autocast {
public:
  explicit Autocast(const PrecisionAnalysis &facts) : facts(facts) {}
  FailureOr<Assignment> run() {
    do
      for (Operation *op : facts.ops)
        if (facts.isDecided(op) && failed(assign(op)))
          return failure();
    while (widenCarried());
    for (Value copy : facts.copies.all())
      result.storage[copy] = typeOf(copy);
    return std::move(result);
  }

private:
  LogicalResult assign(Operation *op);
  FailureOr<Type> forwardType(Operation *op, Reason &reason);
  FailureOr<Type> widest(Operation *op, Type start);
  Type typeOf(Value v) const;
  Type typeOfCarried(Value argument) const;
  bool widenCarried();
  void set(Operation *op, Type type);

  const PrecisionAnalysis &facts;
  Assignment result;
  DenseMap<Operation *, Type> types; ///< dtype that torch would report for the op's result
  DenseMap<Value, Type> carried;     ///< by argument of a loop's block
};
} // namespace

static bool isNarrow(Type type) { return type && type.getIntOrFloatBitWidth() < 32; }

/// Torch's kernels read a number that scales a tensor exactly, without rounding the number to the
/// tensor's type.
static bool isScaling(Operation *op) {
  return cast<PrecisionOpInterface>(op).readsNumbersExactly() &&
         llvm::any_of(op->getOperands(), isNumber);
}

/// Type of a value, or of the value that a loop copies. A carried value has one type for all
/// rounds.
Type Autocast::typeOf(Value v) const {
  while (facts.sourceOf(v) != v) {
    if (auto scan = v.getDefiningOp<train::ScanOp>())
      if (unsigned number = cast<OpResult>(v).getResultNumber(); number < scan.getInits().size())
        v = scan.getCarried()[number];
    if (Type known = isCarriedArgument(v) ? carried.lookup(v) : Type())
      return known;
    v = isCarriedArgument(v) ? flowsFrom(v).back() : flowsFrom(v).front();
  }
  return result.storageOf(v);
}

/// The widest type of the init and the value passed on; constants and parameters have no vote.
Type Autocast::typeOfCarried(Value argument) const {
  Type widest;
  for (Value from : flowsFrom(argument))
    if (!facts.isDuplicable(from))
      widest = !widest || widest == typeOf(from) ? typeOf(from) : facts.f32;
  return widest ? widest : facts.f32;
}

/// Types of carried values after a pass over the program; whether a type has changed, which is from
/// 16 bits to f32.
bool Autocast::widenCarried() {
  bool isChanged = false;
  for (Value copy : facts.copies.all()) {
    if (!isCarriedArgument(copy) || !facts.isReal(copy))
      continue;
    Type &known = carried[copy], type = known == facts.f32 ? facts.f32 : typeOfCarried(copy);
    isChanged |= known != type;
    known = type;
  }
  return isChanged;
}

/// Type to which the operands promote, e.g. bf16 + f32 -> f32. Python numbers have no vote, nor do
/// tensors of rank 0 next to tensors with dimensions.
FailureOr<Type> Autocast::widest(Operation *op, Type start) {
  SmallVector<Value> voters =
      llvm::filter_to_vector(op->getOperands(), [&](Value v) { return facts.isReal(v); });
  auto hasRank = [](Value v) { return cast<RankedTensorType>(v.getType()).getRank() > 0; };
  if (llvm::any_of(voters, hasRank))
    voters = llvm::filter_to_vector(voters, hasRank);
  Type type = start;
  for (Value v : voters) {
    Type next = typeOf(v);
    if (!type || next == facts.f32)
      type = next;
    else if (type != facts.f32 && type != next)
      return op->emitError() << "expected operands of one 16-bit type, but got " << type << " and "
                             << next;
  }
  return type ? type : facts.f32;
}

FailureOr<Type> Autocast::forwardType(Operation *op, Reason &reason) {
  UserConstraint demand = facts.demand(op);
  if (demand.forced) {
    reason = {demand.rule, demand.source};
    return demand.type;
  }
  Type low = facts.lowOf(op);
  if (low == facts.f32) {
    reason = {"region", demand.disabled ? demand.source : "no region sets a 16-bit type here"};
    return widest(op, Type());
  }
  // Ops from a single op of torch (a product and the bias, a sum and the division) round once, at
  // the end.
  for (Value v : op->getOperands())
    if (Operation *part = facts.isReal(v) && facts.isUnrounded(v) ? facts.producerOf(v) : nullptr;
        part && types.contains(part)) {
      reason = {"same-op", "a part of " + nameOf(part) + ", which runs in " + textOf(types[part])};
      return types[part];
    }
  switch (facts.treatment(op)) {
  case Treatment::Low:
    reason = {"list-low", "on autocast's list of ops in " + textOf(low)};
    return low;
  case Treatment::Full:
  case Treatment::Normalize:
    reason = {"list-f32", "on autocast's list of ops in f32"};
    return facts.f32;
  case Treatment::Promote:
    reason = {"list-promote", "on autocast's list of ops in the widest operand type"};
    return widest(op, low);
  default:
    reason = {"unlisted", "on no list of autocast: runs in the operand type"};
    return widest(op, Type());
  }
}

void Autocast::set(Operation *op, Type type) {
  auto precision = cast<PrecisionOpInterface>(op);
  types[op] = type;
  bool isContraction = precision.getCategory() == Category::LowPrecision;
  bool isSingle = precision.getCategory() != Category::FullPrecision;
  for (Value value : op->getResults())
    if (facts.isReal(value)) {
      result.storage[value] = facts.isUnrounded(value) ? facts.f32 : type;
      isSingle &= !facts.isUnrounded(value);
    }
  auto isPart = [&](Value v) { return facts.isReal(v) && facts.isUnrounded(v); };
  isSingle &= llvm::none_of(op->getOperands(), isPart);
  // Sums, norms and intermediates of an adjoint compute in f32, from operands rounded as torch
  // rounds operands.
  result.compute[op] = isContraction || (isSingle && !isScaling(op)) ? type : facts.f32;
  if (isNarrow(type))
    result.entry[op] = type;
}

LogicalResult Autocast::assign(Operation *op) {
  Reason reason;
  Operation *forward = facts.demand(op).forced ? nullptr : facts.forwardOf(op);
  if (forward && types.contains(forward)) {
    set(op, types[forward]);
    reason = {"follows-forward", "the backward pass runs in the type of " + nameOf(forward)};
  } else {
    FailureOr<Type> type = forwardType(op, reason);
    if (failed(type))
      return failure();
    set(op, *type);
  }
  result.reasons[op] = reason;
  return success();
}

namespace {
struct AutocastPolicy : PrecisionPolicy {
  AutocastPolicy(StringRef name, StringRef description, bool isCompared)
      : PrecisionPolicy(name, description), compared(isCompared) {}
  PolicyTable table(Type) const override {
    return PolicyTable::ofLists(getName(), /*others=*/Treatment::Pass);
  }
  FailureOr<Assignment> assign(const PrecisionAnalysis &facts) const override {
    return Autocast(facts).run();
  }
  bool roundsWeightGradients() const override { return true; }
  bool isCompared() const override { return compared; }

  bool compared;
};
} // namespace

std::unique_ptr<PrecisionPolicy> ampc::createAutocastPolicy() {
  return std::make_unique<AutocastPolicy>(
      "autocast",
      "the lists and promotion rules of torch.autocast on CUDA; the backward pass follows the "
      "forward pass",
      /*isCompared=*/true);
}

// Left out of the comparison of costs: the two lists are for different devices, so a comparison
// would offer no choice.
std::unique_ptr<PrecisionPolicy> ampc::createAutocastCPUPolicy() {
  return std::make_unique<AutocastPolicy>(
      "autocast-cpu",
      "the same with the lists of CPUs, where softmax, norms, exp, log and sums are not listed",
      /*isCompared=*/false);
}
