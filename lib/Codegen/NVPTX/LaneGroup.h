// Groups of lanes that reduce together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_LANEGROUP_H
#define LIB_CODEGEN_NVPTX_LANEGROUP_H

#include "lib/Codegen/Common/Combine.h"
#include "lib/Codegen/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// A group of up to 16 neighbouring threads, in the role of the lanes of a CPU vector: sums are
/// added in the same order and have the same bits. All groups of a warp execute the same code.
class LaneGroup {
public:
  using Value = mlir::Value;
  static constexpr int64_t most = 16;

  /// Group `number` of `count`; the last warp may have fewer groups than other warps.
  LaneGroup(DeviceEmitter &e, int64_t width, Value number, int64_t count);
  /// Index of the thread within the group, of type index.
  Value lane() const { return laneIndex; }
  /// Tree reduction over the group, by halves, quarters, ...; all threads get the result.
  Value combine(kernel::Combine kind, Value x);
  /// Value of `x` in thread `lane` of the group, a constant.
  Value from(Value x, int64_t lane);
  Value fromLane(Value x, Value lane); // an i32
  void sync() { e.syncWarp(members); }

  const int64_t width;

private:
  DeviceEmitter &e;
  Value laneIndex, members;
};

/// Launches a group of `width` threads per number below `count`, each running `body`. `registers`:
/// most registers per thread (0: the assembler decides).
void launchGroups(
    DeviceCode &code, int64_t count, int64_t width,
    llvm::function_ref<void(DeviceEmitter &, const KernelPointers &, LaneGroup &, mlir::Value)>
        body,
    int64_t registers = 0);

} // namespace ampc::nvptx
#endif
