// Sums over what a kernel stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_LAUNCHTOTALS_H
#define LIB_TARGET_NVPTX_LAUNCHTOTALS_H

#include "lib/Target/NVPTX/DeviceCode.h"
#include "mlir/IR/IRMapping.h"

namespace ampc::nvptx {

/// The totals of a kernel.with_totals, along with the launches of the kernel inside. In the launch
/// that shows results every thread adds up the terms of what it stores, and every warp puts a part
/// of each total into the workspace. The block that is the last to do so adds the parts up, always
/// in the same order: which block that is changes nothing. Blocks are counted in the workspace,
/// too, from 0 that the first launch of the kernel writes, so that a first launch does not add up
/// parts.
class LaunchTotals : public LaunchObserver {
public:
  using Value = mlir::Value;
  /// Of so many parts, behind `offset` bytes of the workspace.
  LaunchTotals(kernel::WithTotalsOp op, int64_t offset, int64_t parts);
  static int64_t workspaceBytes(kernel::WithTotalsOp op, int64_t parts);

  void begin(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
             bool first) override;
  void end(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
           bool first) override;
  int64_t sharedBytes(const LaunchShape &shape) override;

  /// Whether launches that show results are looked at from here on.
  void look(bool at) { looks = at; }
  /// Whether any total is one of result k.
  bool needs(unsigned result) const { return llvm::is_contained(resultOf, int(result)); }
  /// Whether a launch has added up the parts.
  bool isDone() const { return done; }
  /// Adds up the parts, by a block for each total.
  void launchLast(DeviceCode &code);

private:
  bool isSeen(const LaunchShape &shape) const { return looks && shape.showsResults; }
  mlir::Type typeOf(unsigned total) const;
  Value counter(DeviceEmitter &e, const KernelPointers &all);
  Value partsOf(DeviceEmitter &e, const KernelPointers &all, unsigned total);
  void add(DeviceEmitter &e, unsigned result, Value element);
  void storeParts(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
                  int64_t warps);
  void addUp(DeviceEmitter &e, const KernelPointers &all, unsigned total, int64_t threads);
  Value isLast(DeviceEmitter &e, const KernelPointers &all, int64_t blocks);

  kernel::WithTotalsOp op;
  unsigned results;
  int64_t offset, parts;
  llvm::SmallVector<int> resultOf; // by total; -1 of none
  bool looks = true, done = false;
  // Of the launch that is written.
  mlir::IRMapping scalars;
  llvm::SmallVector<Value> sums;
};

} // namespace ampc::nvptx
#endif
