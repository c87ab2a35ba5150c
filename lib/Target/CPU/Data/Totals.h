// Sums over what a kernel writes, formed while it writes it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_DATA_TOTALS_H
#define LIB_TARGET_CPU_DATA_TOTALS_H

#include "lib/Target/CPU/KernelTemplate.h"

namespace ampc::cpu {

/// The body of a kernel.with_totals. Every total is summed lane by lane in the thread's scratch,
/// task by task; what a number of tasks have summed is a part, which lies in the workspace until
/// all parts are added in their order.
class Totals {
public:
  using Value = mlir::Value;

  /// `pointers` are those of the kernel.with_totals, `tasks` those of the kernel in it.
  Totals(KernelEmitter &e, kernel::WithTotalsOp op, const KernelPointers &pointers,
         int64_t scratchBytes, int64_t tasks);

  /// Tasks whose sums are one part.
  static int64_t tasksPerPart(kernel::WithTotalsOp op, int64_t tasks) {
    return llvm::divideCeil(tasks, op.getParts());
  }
  /// Of the kernel, then of the parts.
  static int64_t workspaceBytes(kernel::WithTotalsOp op) {
    return alignUp(op.getKernel().getWorkspaceBytes()) +
           int64_t(op.getNumTotals()) * op.getParts() * int64_t(sizeof(double));
  }
  static int64_t scratchBytes(kernel::WithTotalsOp op) { return op.getNumTotals() * totalBytes; }

  /// Around a task that writes elements. Tasks of a part run in a row, in one thread.
  void begin(Value task);
  void end(Value task);
  /// Elements of a result as they are stored: a scalar or a vector, of which the first `active`
  /// lanes count.
  void add(unsigned result, Value elements, int64_t active);

  void clear();
  /// Stores the totals of what came since clear().
  void storeSums();
  /// Adds up the parts and stores the totals.
  void storeParts();

private:
  // Lanes of f64 as many as a vector has of f32.
  static constexpr int64_t bankBytes = mostLanes * sizeof(double), maxBanks = 4;
  static constexpr int64_t totalBytes = maxBanks * bankBytes;
  mlir::Type typeOf(unsigned total) { return yield()->getOperand(total).getType(); }
  mlir::Operation *yield() { return op.getBody().front().getTerminator(); }
  /// Integers are added up in several places in turn, so that a vector does not wait for the sum
  /// with the one before; the order of reals shows in their sum.
  int64_t banksOf(unsigned total) {
    return mlir::isa<mlir::FloatType>(typeOf(total)) ? 1 : maxBanks;
  }
  Value sumsOf(unsigned total, int64_t bank) {
    return e.offset(sums, total * totalBytes + bank * bankBytes);
  }
  Value partsOf(unsigned total) {
    return e.offset(parts, total * op.getParts() * int64_t(sizeof(double)));
  }
  /// Over all lanes of a total in scratch.
  Value laneSum(unsigned total);
  void storeTotal(unsigned total, Value sum) {
    e.store(sum, results[op.getKernel()->getNumResults() + total], e.index(0));
  }

  KernelEmitter &e;
  kernel::WithTotalsOp op;
  llvm::SmallVector<Value> results;
  llvm::DenseMap<Value, Value> scalars;
  Value sums, parts;
  int64_t tasks, perPart, lanes, turn = 0;
};

/// Runs `body` on the range of tasks; with totals, on one task after the other.
void forTasks(KernelEmitter &e, Totals *totals, mlir::Value begin, mlir::Value end,
              llvm::function_ref<void(mlir::Value, mlir::Value)> body);

} // namespace ampc::cpu
#endif
