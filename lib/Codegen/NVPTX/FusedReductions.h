// Fused reductions: sums over a kernel's results, formed where the results are stored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_FUSEDREDUCTIONS_H
#define LIB_CODEGEN_NVPTX_FUSEDREDUCTIONS_H

#include "lib/Codegen/NVPTX/DeviceCode.h"
#include "mlir/IR/IRMapping.h"

namespace ampc::nvptx {

/// Fused reductions of a kernel.fused_reduction, computed along with the launches of the nested
/// kernel. In the launch that writes the final results, every thread adds the terms of the elements
/// it stores, and every warp stores a partial sum of each reduction to the workspace. The last
/// block to finish adds the partial sums, always in the same order, so bits do not depend on which
/// block is last. A counter of blocks is in the workspace, too; the kernel's first launch sets the
/// counter to 0, so the first launch itself cannot add partial sums.
///
/// Workspace at `offset`: [counter, 64 bytes][reduction][part] of 8 bytes each.
class FusedReductions : public LaunchObserver {
public:
  using Value = mlir::Value;
  /// `parts`: number of partial sums per reduction; `offset`: start in the workspace, in bytes.
  FusedReductions(kernel::FusedReductionOp op, int64_t offset, int64_t parts);
  static int64_t workspaceBytes(kernel::FusedReductionOp op, int64_t parts);

  void begin(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
             bool first) override;
  void end(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
           bool first) override;
  int64_t sharedBytes(const LaunchShape &shape) override;

  /// Whether launches that write final results contribute from here on.
  void look(bool at) { looks = at; }
  /// Whether any reduction sums over result `result`.
  bool needs(unsigned result) const { return llvm::is_contained(resultOf, int(result)); }
  /// Whether a launch has added the partial sums.
  bool isDone() const { return done; }
  /// Adds the partial sums in a launch of their own, a block per reduction.
  void launchLast(DeviceCode &code);

private:
  bool isSeen(const LaunchShape &shape) const { return looks && shape.writesFinalResults; }
  mlir::Type typeOf(unsigned reduction) const;
  Value counter(DeviceEmitter &e, const KernelPointers &all);
  Value partsOf(DeviceEmitter &e, const KernelPointers &all, unsigned reduction);
  void add(DeviceEmitter &e, unsigned result, Value element);
  void storeParts(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
                  int64_t warps);
  void addUp(DeviceEmitter &e, const KernelPointers &all, unsigned reduction, int64_t threads);
  Value isLast(DeviceEmitter &e, const KernelPointers &all, int64_t blocks);

  kernel::FusedReductionOp op;
  unsigned results;
  int64_t offset, parts;
  llvm::SmallVector<int> resultOf; // by reduction; -1: no result
  bool looks = true, done = false;
  // State of the launch in work.
  mlir::IRMapping scalars;
  llvm::SmallVector<Value> sums;
};

} // namespace ampc::nvptx
#endif
