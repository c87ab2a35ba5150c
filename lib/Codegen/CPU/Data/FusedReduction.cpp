// Fused reductions (kernel.fused_reduction) on CPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Data/FusedReduction.h"
#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/Combine.h"
#include "mlir-dialects/SourceWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;
using kernel::Combine;

FusedReductions::FusedReductions(KernelEmitter &e, kernel::FusedReductionOp op,
                                 const KernelPointers &pointers, int64_t scratchBytes,
                                 int64_t tasks)
    : e(e), op(op), results(pointers.results), tasks(tasks), perPart(tasksPerPart(op, tasks)),
      lanes(e.tier.lanes(32)) {
  sums = e.offset(pointers.scratch, scratchBytes);
  parts = e.offset(pointers.workspace, alignUp(op.getKernel().getWorkspaceBytes()));
  unsigned inputs = op.getLaunch().getNumArguments(), own = op.getKernel()->getNumResults();
  for (BlockArgument argument : op.getBody().getArguments().drop_front(own))
    scalars[argument] = e.loadScalar(pointers.operands[inputs + argument.getArgNumber() - own],
                                     argument.getType(), e.index(0));
}

void FusedReductions::clear() {
  for (unsigned t = 0; t < op.getNumReductions(); ++t)
    for (int64_t bank = 0; bank < banksOf(t); ++bank)
      e.store(e.constant(e.vectorOf(typeOf(t), lanes), 0), sumsOf(t, bank), e.index(0));
}
void FusedReductions::begin(Value task) {
  e.when(e.less(e.rem(task, perPart), e.index(1)), [&] { clear(); });
}
void FusedReductions::end(Value task) {
  for (unsigned t = 0; t < op.getNumReductions(); ++t)
    e.store(laneSum(t), partsOf(t), e.div(task, perPart));
}
Value FusedReductions::laneSum(unsigned t) {
  Value sum = e.loadVector(sumsOf(t, 0), typeOf(t), e.index(0), lanes);
  for (int64_t bank = 1; bank < banksOf(t); ++bank)
    sum =
        combine(e, Combine::sum, sum, e.loadVector(sumsOf(t, bank), typeOf(t), e.index(0), lanes));
  return combineLanes(e, Combine::sum, sum);
}
void FusedReductions::storeSums() {
  for (unsigned t = 0; t < op.getNumReductions(); ++t)
    storeReduction(t, laneSum(t));
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

void FusedReductions::add(unsigned result, Value elements, int64_t active) {
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

void FusedReductions::storeParts() {
  int64_t count = llvm::divideCeil(tasks, perPart);
  for (unsigned t = 0; t < op.getNumReductions(); ++t) {
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
    storeReduction(t, combineLanes(e, Combine::sum, sum[0]));
  }
}

void cpu::forTasks(KernelEmitter &e, FusedReductions *reductions, Value begin, Value end,
                   llvm::function_ref<void(Value, Value)> body) {
  if (!reductions)
    return body(begin, end);
  e.loop(begin, end, 1, [&](Value task) {
    reductions->begin(task);
    body(task, e.add(task, 1));
    reductions->end(task);
  });
}

namespace {
/// Wraps the lowering of the kernel inside. If that has a finish function, results are stored
/// there, so the finish also computes the reductions.
class FusedReductionLowering : public CPUKernelLowering {
  int64_t workspaceBytes(Operation *op) const override {
    return FusedReductions::workspaceBytes(cast<kernel::FusedReductionOp>(op));
  }
  LogicalResult configure(Operation *operation) const override {
    auto op = cast<kernel::FusedReductionOp>(operation);
    if (failed(kernelRegistry().configure(op.getKernel())))
      return failure();
    op.setParts(256);
    op.setWorkspaceBytes(workspaceBytes(op));
    return success();
  }

  FailureOr<KernelEmission> plan(Operation *operation, const Tier &tier) const override {
    auto op = cast<kernel::FusedReductionOp>(operation);
    FailureOr<KernelEmission> emission = planInner(op, tier);
    if (failed(emission))
      return failure();
    if (!emission->finishTasks)
      emission->tasks =
          llvm::divideCeil(emission->tasks, FusedReductions::tasksPerPart(op, emission->tasks));
    emission->scratchBytes = alignUp(emission->scratchBytes) + FusedReductions::scratchBytes(op);
    emission->finishTasks = 1;
    return emission;
  }

  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::FusedReductionOp>(operation);
    KernelEmission inner = *planInner(op, e.tier);
    KernelPointers own = pointersOf(op, pointers);
    if (inner.finishTasks)
      return innerOf(op).emitRun(op.getKernel(), e, own, begin, end);
    FusedReductions reductions(e, op, pointers, alignUp(inner.scratchBytes), inner.tasks);
    own.reductions = &reductions;
    int64_t perPart = FusedReductions::tasksPerPart(op, inner.tasks);
    innerOf(op).emitRun(op.getKernel(), e, own, e.mul(begin, perPart),
                        e.min(e.mul(end, perPart), e.index(inner.tasks)));
  }

  void emitFinish(Operation *operation, KernelEmitter &e, const KernelPointers &pointers,
                  Value begin, Value end) const override {
    auto op = cast<kernel::FusedReductionOp>(operation);
    KernelEmission inner = *planInner(op, e.tier);
    FusedReductions reductions(e, op, pointers, alignUp(inner.scratchBytes), inner.tasks);
    if (!inner.finishTasks)
      return reductions.storeParts();
    KernelPointers own = pointersOf(op, pointers);
    own.reductions = &reductions;
    reductions.clear();
    innerOf(op).emitFinish(op.getKernel(), e, own, begin, end);
    reductions.storeSums();
  }

  bool hasOwnCode(Operation *operation, const Tier &tier) const override {
    auto op = cast<kernel::FusedReductionOp>(operation);
    return innerOf(op).hasOwnCode(op.getKernel(), tier);
  }

  static const CPUKernelLowering &innerOf(kernel::FusedReductionOp op) {
    return *loweringOf(op.getKernel());
  }
  static FailureOr<KernelEmission> planInner(kernel::FusedReductionOp op, const Tier &tier) {
    return innerOf(op).plan(op.getKernel(), tier);
  }
  static KernelPointers pointersOf(kernel::FusedReductionOp op, const KernelPointers &pointers) {
    KernelPointers own = pointers;
    own.operands.clear();
    for (Value operand : op.getKernel()->getOperands())
      own.operands.push_back(pointers.operands[cast<BlockArgument>(operand).getArgNumber()]);
    own.results.truncate(op.getKernel()->getNumResults());
    return own;
  }
};
} // namespace

void cpu::addFusedReductionLowering(target::KernelRegistry &registry) {
  registry.add<kernel::FusedReductionOp, FusedReductionLowering>();
}
