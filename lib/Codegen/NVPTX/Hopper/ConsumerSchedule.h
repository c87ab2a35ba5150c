// Schedules of consumer warpgroups: cooperative and ping-pong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_HOPPER_CONSUMERSCHEDULE_H
#define LIB_CODEGEN_NVPTX_HOPPER_CONSUMERSCHEDULE_H

#include "lib/Codegen/NVPTX/Hopper/WarpgroupKernel.h"

namespace ampc::nvptx {

/// Division of output tiles among the consumer warpgroups of a CTA: the properties on which tile
/// sizes, cost model and barriers depend, and the kernel.
class ConsumerSchedule {
public:
  virtual ~ConsumerSchedule() = default;
  /// Output tiles in progress in a CTA with `groups` consumer warpgroups.
  virtual int64_t tilesInProgress(int64_t groups) const = 0;
  /// Order barriers of the pipeline: consumer warpgroups that multiply one after the other.
  virtual int64_t orderBarriers() const = 0;
  /// Whether k may be divided among launches or among the CTAs of a cluster.
  virtual bool splitsK() const = 0;
  /// Whether a gathering producer has enough registers next to the consumers.
  virtual bool fitsRegisters(const WarpgroupGemm &plan) const = 0;
  /// Modelled cycles of a GEMM with epilogue: `products` without the epilogue, `rounds` waves of
  /// tiles, and `body` cycles for the epilogue of a tile.
  virtual double cycles(double products, double rounds, double body) const = 0;
  /// Remark on the schedule in reports, with a comma; empty for the usual schedule.
  virtual llvm::StringRef remark() const = 0;
  virtual std::unique_ptr<WarpgroupKernel> kernel(DeviceEmitter &e,
                                                  const WarpgroupLaunch &launch) const = 0;
};
const ConsumerSchedule &cooperativeSchedule();
const ConsumerSchedule &pingPongSchedule();

} // namespace ampc::nvptx
#endif
