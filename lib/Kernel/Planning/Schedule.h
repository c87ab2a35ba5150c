// The order of kernels in a program, and what is written where it stays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_PLANNING_SCHEDULE_H
#define LIB_KERNEL_PLANNING_SCHEDULE_H

#include "lib/Kernel/Fusion/Spaces.h"
#include "llvm/ADT/StringMap.h"

namespace ampc {
/// Kernels and returns that read the buffer of `value`, through views too.
void findReaders(mlir::Value value, llvm::SmallVectorImpl<mlir::Operation *> &readers);
/// True if `op` may write `result` over `value`: it reads each element of `value` only to compute
/// the element of the result that lies in the same place.
bool canOverwrite(FusedKernelOpInterface op, mlir::OpResult result, mlir::Value value);

/// Orders beyond those of SSA: a kernel that overwrites a state comes after all readers of the old
/// one.
class Order {
public:
  /// Adds edges before -> after; returns false, and adds none, if that would make a cycle.
  bool add(llvm::ArrayRef<mlir::Operation *> before, mlir::Operation *after);
  /// Sorts the block: the given order, but kernels that free more than they take as soon as
  /// possible.
  void sort(mlir::Block &block, const llvm::DenseSet<mlir::Value> &outsideArena);

private:
  friend class Scheduler;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Operation *>> edges;
};

/// Values of a program that are computed where they stay.
struct Homes {
  llvm::DenseMap<mlir::Value, kernel::PlaceAttr> places;
  mlir::Operation *loss = nullptr; ///< the kernel that writes the loss, if state is written too
};
/// Finds a home for every result of the program, with copies where the producer cannot write there,
/// and sorts its kernels.
llvm::FailureOr<Homes> schedule(kernel::ProgramOp program, const llvm::StringMap<int64_t> &state);
} // namespace ampc
#endif
