// Fused reductions: sums over the elements that a kernel stores, formed at the store.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_DATA_FUSEDREDUCTION_H
#define LIB_CODEGEN_CPU_DATA_FUSEDREDUCTION_H

#include "lib/Codegen/CPU/CPUKernelLowering.h"

namespace ampc::cpu {

/// Body of a kernel.fused_reduction. A thread's scratch has one partial sum per lane and reduction.
/// The sums of `tasksPerPart` tasks form a part in the workspace; the finish adds the parts in
/// ascending order, so that results do not depend on the number of threads. Example: the squared
/// norm of a gradient for clipping.
class FusedReductions {
public:
  using Value = mlir::Value;

  /// `pointers` belong to the kernel.fused_reduction, `tasks` to the kernel inside.
  FusedReductions(KernelEmitter &e, kernel::FusedReductionOp op, const KernelPointers &pointers,
                  int64_t scratchBytes, int64_t tasks);

  /// Tasks whose sums form one part.
  static int64_t tasksPerPart(kernel::FusedReductionOp op, int64_t tasks) {
    return llvm::divideCeil(tasks, op.getParts());
  }
  /// Workspace of the kernel inside, then [reductions, parts] of f64.
  static int64_t workspaceBytes(kernel::FusedReductionOp op) {
    return alignUp(op.getKernel().getWorkspaceBytes()) +
           int64_t(op.getNumReductions()) * op.getParts() * int64_t(sizeof(double));
  }
  static int64_t scratchBytes(kernel::FusedReductionOp op) {
    return op.getNumReductions() * reductionBytes;
  }

  /// Brackets a task that stores elements. One thread runs the tasks of a part in ascending order.
  void begin(Value task);
  void end(Value task);
  /// Adds elements of a result as they are stored: a scalar, or the first `active` lanes of a
  /// vector.
  void add(unsigned result, Value elements, int64_t active);

  void clear();
  /// Stores the reductions of the elements since clear().
  void storeSums();
  /// Adds the parts and stores the reductions.
  void storeParts();

private:
  // As many f64 lanes as a vector has f32 lanes.
  static constexpr int64_t bankBytes = mostLanes * sizeof(double), maxBanks = 4;
  static constexpr int64_t reductionBytes = maxBanks * bankBytes;
  mlir::Type typeOf(unsigned reduction) { return yield()->getOperand(reduction).getType(); }
  mlir::Operation *yield() { return op.getBody().front().getTerminator(); }
  /// Integer sums rotate over several accumulators, which breaks the dependency chain of additions.
  /// Float sums have a single accumulator: their rounding depends on the order.
  int64_t banksOf(unsigned reduction) {
    return mlir::isa<mlir::FloatType>(typeOf(reduction)) ? 1 : maxBanks;
  }
  Value sumsOf(unsigned reduction, int64_t bank) {
    return e.offset(sums, reduction * reductionBytes + bank * bankBytes);
  }
  Value partsOf(unsigned reduction) {
    return e.offset(parts, reduction * op.getParts() * int64_t(sizeof(double)));
  }
  /// Sum over all lanes (and banks) of a reduction in scratch.
  Value laneSum(unsigned reduction);
  void storeReduction(unsigned reduction, Value sum) {
    e.store(sum, results[op.getKernel()->getNumResults() + reduction], e.index(0));
  }

  KernelEmitter &e;
  kernel::FusedReductionOp op;
  llvm::SmallVector<Value> results;
  llvm::DenseMap<Value, Value> scalars;
  Value sums, parts;
  int64_t tasks, perPart, lanes, turn = 0;
};

/// Runs `body` on the whole range of tasks; with fused reductions, task by task.
void forTasks(KernelEmitter &e, FusedReductions *reductions, mlir::Value begin, mlir::Value end,
              llvm::function_ref<void(mlir::Value, mlir::Value)> body);

} // namespace ampc::cpu
#endif
