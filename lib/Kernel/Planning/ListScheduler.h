// Order of the kernels in a program, and buffer assignment of state and outputs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_PLANNING_LISTSCHEDULER_H
#define LIB_KERNEL_PLANNING_LISTSCHEDULER_H

#include "ampc/Codegen/Target.h"
#include "lib/Kernel/Fusion/IterationDomain.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
/// Collects kernels and returns that read the buffer of `value`, directly or through views.
void findConsumers(mlir::Value value, llvm::SmallVectorImpl<mlir::Operation *> &consumers);
/// Whether `op` may write `result` over `value`: each element of `value` is read only to compute
/// the element of the result at the same position.
bool canWriteInPlace(FusedKernelOpInterface op, mlir::OpResult result, mlir::Value value);

/// Whether the kernel reads inputs ahead of its writes, so that no result may overwrite an input:
/// GEMMs and convolutions on GPUs prefetch epilogue sources tile by tile, clamped at edges: rows
/// that other threads may have written by then.
bool readsAhead(KernelOpInterface op, const Target &target);

/// Edges beyond SSA: a kernel that overwrites a state runs after all consumers of the old value.
class ScheduleEdges {
public:
  /// Adds edges before -> after; returns false, and adds none, if an edge would close a cycle.
  bool add(llvm::ArrayRef<mlir::Operation *> before, mlir::Operation *after);
  /// Sorts the block: the given order, but kernels that free at least the bytes they allocate run
  /// as soon as possible.
  void sort(mlir::Block &block, const llvm::DenseSet<mlir::Value> &outsideArena,
            const Target &target);

private:
  friend class Scheduler;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> edges;
};

/// Buffer assignment of results outside the arena: state in place and outputs of the caller.
struct BufferAssignment {
  llvm::DenseMap<mlir::Value, kernel::PlaceAttr> places;
  mlir::Operation *loss = nullptr; ///< kernel that writes the loss, if the program writes state too
};
/// Assigns every returned value to state or output memory, with copies where the producer cannot
/// write there, and sorts the kernels.
llvm::FailureOr<BufferAssignment>
schedule(kernel::ProgramOp program, const llvm::StringMap<int64_t> &state, const Target &target);
} // namespace ampc
#endif
