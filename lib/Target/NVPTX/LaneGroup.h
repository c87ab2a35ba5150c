// Threads that form a sum together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_LANEGROUP_H
#define LIB_TARGET_NVPTX_LANEGROUP_H

#include "lib/Target/Common/Combine.h"
#include "lib/Target/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Sixteen neighbouring threads, or fewer, in the place of the lanes of a CPU's vector: sums are
/// added up in the same order, and have the same bits. All groups of a warp go through the same
/// code.
class LaneGroup {
public:
  using Value = mlir::Value;
  static constexpr int64_t most = 16;

  /// Group `number` of `count`; the last warp may have fewer groups than others.
  LaneGroup(DeviceEmitter &e, int64_t width, Value number, int64_t count);
  /// Number of the thread in its group, of type index.
  Value lane() const { return laneIndex; }
  /// Combines a number of every thread, in halves, then quarters, ...; all get it.
  Value combine(kernel::Combine kind, Value x);
  /// The number that thread `lane`, a constant, has.
  Value from(Value x, int64_t lane);
  Value fromLane(Value x, Value lane); // an i32
  void sync() { e.syncWarp(members); }

  const int64_t width;

private:
  DeviceEmitter &e;
  Value laneIndex, members;
};

/// Runs `body` for every number below `count` in a group of threads of its own, each of which may
/// have that many registers (0: the assembler decides).
void launchGroups(
    DeviceCode &code, int64_t count, int64_t width,
    llvm::function_ref<void(DeviceEmitter &, const KernelPointers &, LaneGroup &, mlir::Value)>
        body,
    int64_t registers = 0);

} // namespace ampc::nvptx
#endif
