// Fused reductions (kernel.with_totals) on CPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Data/Totals.h"
#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/Combine.h"
#include "mlir-dialects/SourceWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;
using kernel::Combine;

Totals::Totals(KernelEmitter &e, kernel::WithTotalsOp op, const KernelPointers &pointers,
               int64_t scratchBytes, int64_t tasks)
    : e(e), op(op), results(pointers.results), tasks(tasks), perPart(tasksPerPart(op, tasks)),
      lanes(e.tier.lanes(32)) {
  sums = e.offset(pointers.scratch, scratchBytes);
  parts = e.offset(pointers.workspace, alignUp(op.getKernel().getWorkspaceBytes()));
  unsigned inputs = op.getLaunch().getNumArguments(), own = op.getKernel()->getNumResults();
  for (BlockArgument argument : op.getBody().getArguments().drop_front(own))
    scalars[argument] = e.loadScalar(pointers.operands[inputs + argument.getArgNumber() - own],
                                     argument.getType(), e.index(0));
}

void Totals::clear() {
  for (unsigned t = 0; t < op.getNumTotals(); ++t)
    for (int64_t bank = 0; bank < banksOf(t); ++bank)
      e.store(e.constant(e.vectorOf(typeOf(t), lanes), 0), sumsOf(t, bank), e.index(0));
}
void Totals::begin(Value task) {
  e.when(e.less(e.rem(task, perPart), e.index(1)), [&] { clear(); });
}
void Totals::end(Value task) {
  for (unsigned t = 0; t < op.getNumTotals(); ++t)
    e.store(laneSum(t), partsOf(t), e.div(task, perPart));
}
Value Totals::laneSum(unsigned t) {
  Value sum = e.loadVector(sumsOf(t, 0), typeOf(t), e.index(0), lanes);
  for (int64_t bank = 1; bank < banksOf(t); ++bank)
    sum =
        combine(e, Combine::sum, sum, e.loadVector(sumsOf(t, bank), typeOf(t), e.index(0), lanes));
  return combineLanes(e, Combine::sum, sum);
}
void Totals::storeSums() {
  for (unsigned t = 0; t < op.getNumTotals(); ++t)
    storeTotal(t, laneSum(t));
}

/// Whether a value of the body depends on an argument.
static bool dependsOn(Value value, BlockArgument argument) {
  bool found = false;
  SourceWalk().visit(value, [&](Value source) {
    found |= source == argument;
    return !found;
  });
  return found;
}

void Totals::add(unsigned result, Value elements, int64_t active) {
  auto vector = dyn_cast<VectorType>(elements.getType());
  int64_t count = vector ? vector.getDimSize(0) : 1;
  BlockArgument element = op.getBody().getArgument(result);
  DenseMap<Value, Value> known(scalars);
  known[element] = elements;
  for (Operation &bodyOp : op.getBody().front().without_terminator())
    if (llvm::all_of(bodyOp.getOperands(), [&](Value v) { return known.contains(v); }))
      emitOnVectors(e, &bodyOp,
                    llvm::map_to_vector(bodyOp.getOperands(), [&](Value v) { return known[v]; }),
                    count, known);
  ++turn;
  for (auto [t, value] : llvm::enumerate(yield()->getOperands())) {
    if (!dependsOn(value, element))
      continue;
    Value place = sumsOf(t, turn % banksOf(t));
    Value sum = e.loadVector(place, typeOf(t), e.index(0), count);
    Value next = combine(e, Combine::sum, sum, e.broadcast(known.lookup(value), count));
    e.store(keepActive(e, next, sum, active), place, e.index(0));
  }
}

void Totals::storeParts() {
  int64_t count = llvm::divideCeil(tasks, perPart);
  for (unsigned t = 0; t < op.getNumTotals(); ++t) {
    int64_t width = count < lanes ? 1 : lanes, tail = count % width;
    Type type = e.vectorOf(typeOf(t), width);
    auto addAt = [&](Value i, Value sum, int64_t active) {
      return combine(e, Combine::sum, sum, e.loadVector(partsOf(t), typeOf(t), i, width, active));
    };
    SmallVector<Value> sum{e.constant(type, 0)};
    sum = e.loop(e.index(0), e.index(count - tail), width, sum,
                 [&](Value i, ValueRange v) { return SmallVector<Value>{addAt(i, v[0], width)}; });
    if (tail)
      sum[0] = addAt(e.index(count - tail), sum[0], tail);
    storeTotal(t, combineLanes(e, Combine::sum, sum[0]));
  }
}

void cpu::forTasks(KernelEmitter &e, Totals *totals, Value begin, Value end,
                   llvm::function_ref<void(Value, Value)> body) {
  if (!totals)
    return body(begin, end);
  e.loop(begin, end, 1, [&](Value task) {
    totals->begin(task);
    body(task, e.add(task, 1));
    totals->end(task);
  });
}

namespace {
/// Wraps the lowering of the kernel inside. If that has a finish function, results are stored
/// there, so the finish also computes the totals.
class WithTotalsLowering : public CPUKernelLowering {
  int64_t workspaceBytes(Operation *op) const override {
    return Totals::workspaceBytes(cast<kernel::WithTotalsOp>(op));
  }
  LogicalResult configure(Operation *operation) const override {
    auto op = cast<kernel::WithTotalsOp>(operation);
    if (failed(kernelRegistry().configure(op.getKernel())))
      return failure();
    op.setParts(256);
    op.setWorkspaceBytes(workspaceBytes(op));
    return success();
  }

  FailureOr<KernelEmission> plan(Operation *operation, const Tier &tier) const override {
    auto op = cast<kernel::WithTotalsOp>(operation);
    FailureOr<KernelEmission> emission = planInner(op, tier);
    if (failed(emission))
      return failure();
    if (!emission->finishTasks)
      emission->tasks =
          llvm::divideCeil(emission->tasks, Totals::tasksPerPart(op, emission->tasks));
    emission->scratchBytes = alignUp(emission->scratchBytes) + Totals::scratchBytes(op);
    emission->finishTasks = 1;
    return emission;
  }

  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::WithTotalsOp>(operation);
    KernelEmission inner = *planInner(op, e.tier);
    KernelPointers own = pointersOf(op, pointers);
    if (inner.finishTasks)
      return innerOf(op).emitRun(op.getKernel(), e, own, begin, end);
    Totals totals(e, op, pointers, alignUp(inner.scratchBytes), inner.tasks);
    own.totals = &totals;
    int64_t perPart = Totals::tasksPerPart(op, inner.tasks);
    innerOf(op).emitRun(op.getKernel(), e, own, e.mul(begin, perPart),
                        e.min(e.mul(end, perPart), e.index(inner.tasks)));
  }

  void emitFinish(Operation *operation, KernelEmitter &e, const KernelPointers &pointers,
                  Value begin, Value end) const override {
    auto op = cast<kernel::WithTotalsOp>(operation);
    KernelEmission inner = *planInner(op, e.tier);
    Totals totals(e, op, pointers, alignUp(inner.scratchBytes), inner.tasks);
    if (!inner.finishTasks)
      return totals.storeParts();
    KernelPointers own = pointersOf(op, pointers);
    own.totals = &totals;
    totals.clear();
    innerOf(op).emitFinish(op.getKernel(), e, own, begin, end);
    totals.storeSums();
  }

  bool hasOwnCode(Operation *operation, const Tier &tier) const override {
    auto op = cast<kernel::WithTotalsOp>(operation);
    return innerOf(op).hasOwnCode(op.getKernel(), tier);
  }

  static const CPUKernelLowering &innerOf(kernel::WithTotalsOp op) {
    return *loweringOf(op.getKernel());
  }
  static FailureOr<KernelEmission> planInner(kernel::WithTotalsOp op, const Tier &tier) {
    return innerOf(op).plan(op.getKernel(), tier);
  }
  static KernelPointers pointersOf(kernel::WithTotalsOp op, const KernelPointers &pointers) {
    KernelPointers own = pointers;
    own.operands.clear();
    for (Value operand : op.getKernel()->getOperands())
      own.operands.push_back(pointers.operands[cast<BlockArgument>(operand).getArgNumber()]);
    own.results.truncate(op.getKernel()->getNumResults());
    return own;
  }
};
} // namespace

void cpu::addTotalsLowering(target::KernelRegistry &registry) {
  registry.add<kernel::WithTotalsOp, WithTotalsLowering>();
}
