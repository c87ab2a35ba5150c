// Ping-pong schedule: each of two consumer warpgroups has its own output tile, and multiplies while
// the other runs its epilogue.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/ConsumerSchedule.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

namespace {
class PingPongKernel : public WarpgroupKernel {
  using WarpgroupKernel::WarpgroupKernel;

  void multiplyWorkTiles() override;
  Value ownRows(Value lines) override { return lines; }
  Value warpOfTile() override { return e.rem(e.div(e.thread(), 32), 4); }
};

class PingPong : public ConsumerSchedule {
  int64_t tilesInProgress(int64_t groups) const override { return groups; }
  int64_t orderBarriers() const override { return 2; }
  bool splitsK() const override { return false; }
  bool fitsRegisters(const WarpgroupGemm &plan) const override { return !plan.gathers(); }
  double cycles(double products, double rounds, double body) const override;
  StringRef remark() const override { return "ping-pong, "; }
  std::unique_ptr<WarpgroupKernel> kernel(DeviceEmitter &e,
                                          const WarpgroupLaunch &launch) const override {
    return std::make_unique<PingPongKernel>(e, launch);
  }
};
} // namespace

// Pipeline stages are used in the order of work items, so each warpgroup skips the stages of the
// other warpgroup's items. A warpgroup waits for the order barrier before the first wait for a
// stage, and lets the other warpgroup proceed once its wgmmas are issued.
void PingPongKernel::multiplyWorkTiles() {
  PipelineState first = ring.first(/*copies=*/false), second = ring.after(first, plan.steps());
  Value isFirst = target::equal(e, group, e.i32(0));
  Value stage = target::select(e, isFirst, first.stage, second.stage);
  Value parity = target::select(e, isFirst, first.parity, second.parity);
  Value order = target::select(e, isFirst, e.i32(1), e.i32(0)); // parity of the order barrier
  Value from = e.add(e.div(e.block(), tile().cluster()), e.mul(group, plan.clusters));
  e.loop(e.position(from), e.index(plan.units()), tile().tilesInProgress() * plan.clusters,
         {stage, parity, order}, [&](Value number, ValueRange now) -> SmallVector<Value> {
           WorkTile work(e, plan, asI32(number), rank);
           PipelineState next = multiplyWorkTile(
               work, {now[0], now[1]}, [&] { ring.waitForOrderBarrier(group, now[2]); },
               [&] { ring.arriveAtOrderBarrier(group); });
           next = ring.after(next, plan.steps());
           return {next.stage, next.parity, e.bitXor(now[2], e.i32(1))};
         });
}

/// The epilogue is hidden behind the other warpgroup's products, except for the last tile. A lone
/// warpgroup takes half again as long per point as two that wait for memory together: an estimate.
/// On an H200 less is hidden than modelled, because both warpgroups use the same register ports.
double PingPong::cycles(double products, double rounds, double body) const {
  body *= 1.5;
  return std::max(products, (products + rounds * body) / 2) + body;
}

const ConsumerSchedule &nvptx::pingPongSchedule() {
  static const PingPong schedule;
  return schedule;
}
