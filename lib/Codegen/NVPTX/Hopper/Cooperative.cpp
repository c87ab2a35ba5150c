// Cooperative schedule: consumer warpgroups share an output tile, 64 rows (times `high`) each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/ConsumerSchedule.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

namespace {
class CooperativeKernel : public WarpgroupKernel {
  using WarpgroupKernel::WarpgroupKernel;

  void multiplyWorkTiles() override {
    forWorkTiles(ring.first(/*copies=*/false), [&](const WorkTile &work, PipelineState place) {
      return multiplyWorkTile(work, place);
    });
  }
  Value ownRows(Value lines) override {
    WgmmaTile rows{64, plan.lhs.tile.alongDepth};
    return e.advance(lines, e.mul(group, rows.bytes()));
  }
  Value warpOfTile() override { return e.div(e.thread(), 32); }
};

class Cooperative : public ConsumerSchedule {
  int64_t tilesInProgress(int64_t groups) const override { return 1; }
  int64_t orderBarriers() const override { return 0; }
  bool splitsK() const override { return true; }
  bool fitsRegisters(const WarpgroupGemm &plan) const override;
  /// The epilogue is exposed in every wave.
  double cycles(double products, double rounds, double body) const override {
    return products + rounds * body;
  }
  StringRef remark() const override { return ""; }
  std::unique_ptr<WarpgroupKernel> kernel(DeviceEmitter &e,
                                          const WarpgroupLaunch &launch) const override {
    return std::make_unique<CooperativeKernel>(e, launch);
  }
};
} // namespace

/// The addresses of small pieces of many columns take more registers than two consumer warpgroups
/// leave.
bool Cooperative::fitsRegisters(const WarpgroupGemm &plan) const {
  bool hasMany = plan.tile.groups == 1 || plan.tile.n <= 128;
  return hasMany || !plan.rhs.isGathered() || plan.gemm.rhs.copyBytes > 4;
}

const ConsumerSchedule &nvptx::cooperativeSchedule() {
  static const Cooperative schedule;
  return schedule;
}
