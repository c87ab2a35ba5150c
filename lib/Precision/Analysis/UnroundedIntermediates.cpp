// Unrounded intermediates: values inside an op or a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Precision/Analysis/UnroundedIntermediates.h"
#include "lib/Precision/Values.h"
#include "mlir-dialects/Train/Program/Origin.h"

using namespace mlir;
using namespace ampc;

UnroundedIntermediates::UnroundedIntermediates(
    const DecidedProgram &program, const SourceGroups &groups, const Treatments &treatments,
    const UserConstraints &constraints, const DuplicableValues &duplicable, bool keepsKernelsFull)
    : program(program), groups(groups), treatments(treatments), constraints(constraints),
      duplicable(duplicable), keepsKernelsFull(keepsKernelsFull) {
  find();
}

/// Whether the op fits the epilogue of the producer of `accumulator`: a pointwise op that adds or
/// multiplies a bias or a constant.
bool UnroundedIntermediates::joinsEpilogue(Operation *op, Value accumulator) const {
  return isa<ScalarOpInterface>(op) && computesAsStored(treatments.of(op)) &&
         llvm::all_of(op->getOperands(),
                      [&](Value v) { return v == accumulator || duplicable.contains(v); });
}

/// A single result, whose type is up to the policy.
bool UnroundedIntermediates::hasFreeResult(Operation *op) const {
  return program.isDecided(op) && !constraints.isForced(op) &&
         constraints.lowOf(op) != program.f32 && op->getNumResults() == 1;
}

/// Stored elements that are only moved: f32 would put casts around the moves, and kernels where the
/// consumer could read the source through an indexing map.
bool UnroundedIntermediates::isOnlyMoved(Value v) const {
  Operation *op = v.getDefiningOp();
  return movesElements(op) &&
         llvm::none_of(op->getOperands(), [&](Value x) { return contains(x); }) &&
         llvm::all_of(program.usersOf(v), [](Operation *user) {
           return isa<PrecisionOpInterface>(user) && movesElements(user);
         });
}

/// Intermediate of a formula that the backward pass rematerializes from stored values: all
/// consumers are pointwise, and so is every op back to a stored value.
bool UnroundedIntermediates::isRematerialized(Value v) const {
  auto isPointwise = [&](Operation *op) {
    return hasFreeResult(op) && computesAsStored(treatments.of(op)) && isa<ScalarOpInterface>(op) &&
           elements(op->getResult(0)) == elements(v);
  };
  Operation *op = v.getDefiningOp();
  SmallVector<Operation *> users = program.usersOf(v);
  return !users.empty() && !isOnlyMoved(v) && !program.isBackward(op) && isPointwise(op) &&
         !program.isCarried(v) && llvm::all_of(users, isPointwise) &&
         llvm::all_of(op->getOperands(), [&](Value x) {
           return !program.isReal(x) || duplicable.contains(x) || !contains(x) ||
                  rematerialized.contains(program.sourceOf(x));
         });
}

/// Whether the value is never stored: either a single pointwise op reads the value within the same
/// kernel, or the backward pass rematerializes the value. So layers written out as products, biases
/// and formulas round where library calls do. Example: matmul -> add(bias) -> relu rounds once.
bool UnroundedIntermediates::isNeverStored(Value v) const {
  if (rematerialized.contains(program.sourceOf(v)))
    return true;
  if (!program.copies.of(v).empty()) // for other rounds, or for another loop
    return false;
  Operation *op = v.getDefiningOp();
  if (isOnlyMoved(v))
    return false;
  if (!keepsKernelsFull || !v.hasOneUse() || !hasFreeResult(op))
    return false;
  Operation *user = *v.getUsers().begin();
  Value accumulator = v;
  while (hasFreeResult(user) && movesElements(user) && user->getResult(0).hasOneUse()) {
    accumulator = user->getResult(0);
    user = *accumulator.getUsers().begin();
  }
  if (!hasFreeResult(user) || program.isBackward(user) != program.isBackward(op) ||
      constraints.lowOf(user) != constraints.lowOf(op) ||
      elements(v) != elements(user->getResult(0)))
    return false;
  bool accumulates =
      treatments.of(op) == Treatment::Low || (movesElements(op) && contains(op->getOperand(0)));
  if (accumulates)
    return !program.isBackward(op) && joinsEpilogue(user, accumulator);
  return accumulator == v && computesAsStored(treatments.of(op)) &&
         computesAsStored(treatments.of(user)) && isa<ScalarOpInterface>(op) &&
         isa<ScalarOpInterface>(user);
}

/// Whether the value is a sum of cotangents that another sum takes in, or the next round of a loop.
bool UnroundedIntermediates::isPartialSum(Operation *op, Value result) const {
  auto isFanIn = [](Operation *op) { return op->hasAttr("train.fan_in"); };
  SmallVector<Operation *> users = program.usersOf(result);
  return isFanIn(op) &&
         ((users.size() == 1 && isFanIn(users.front())) || llvm::is_contained(users, op));
}

/// Whether the model or the optimizer fixes the type of this op itself, not of the op that this op
/// stems from.
static bool isFixedItself(Operation *op) {
  train::OriginAttr origin = originOf(op);
  return origin && origin.getCompute() &&
         (origin.isUpdate() ||
          (origin.isForward() && origin.getOrder() == 0 && !origin.getSource()));
}

// Adjoints and composite ops round only results, not intermediates. A cotangent that an adjoint
// reshapes first still counts as a result of the op that computed the cotangent.
void UnroundedIntermediates::find() {
  for (Operation *op : program.ops) {
    if (!program.isDecided(op) || isFixedItself(op))
      continue;
    StringRef name = groups.group(op);
    bool movesIn =
        movesOnly(op) && program.isReal(op->getOperand(0)) && !contains(op->getOperand(0));
    for (Value result : op->getResults()) {
      SmallVector<Operation *> users = program.usersOf(result);
      if (!program.isReal(result) || users.empty() || duplicable.contains(result))
        continue;
      bool partOfGroup =
          !name.empty() && !movesIn && !program.isStoredByLoop(result) &&
          llvm::all_of(users, [&](Operation *user) { return groups.group(user) == name; });
      if (keepsKernelsFull && isRematerialized(result))
        rematerialized.insert(result);
      if (partOfGroup || isPartialSum(op, result))
        values.insert(result);
      else if (isNeverStored(result)) {
        withinKernel.insert(result);
        values.insert(result);
      }
    }
  }
}
