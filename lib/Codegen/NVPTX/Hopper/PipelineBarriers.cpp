// Pipeline barriers as mbarrier objects. PTX ISA, "Parallel synchronization and communication:
// mbarrier".
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/PipelineBarriers.h"
#include "lib/Codegen/Common/PlainLoops.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

void nvptx::syncCluster(DeviceEmitter &e, int64_t cluster) {
  if (cluster == 1)
    return e.syncBlock();
  NVVM::ClusterArriveOp::create(e.b, e.loc, UnitAttr());
  NVVM::ClusterWaitOp::create(e.b, e.loc, UnitAttr());
}

// Initializes all barriers by a single thread. The fence makes the barriers visible to other CTAs
// of the cluster and to the async proxy before any arrival.
void PipelineBarriers::initialise() {
  e.when(target::equal(e, e.thread(), e.i32(0)), [&] {
    for (int64_t stage = 0; stage < stages; ++stage) {
      NVVM::MBarrierInitOp::create(e.b, e.loc, fullBarrier(e.i32(stage)), e.i32(fillers), Value());
      NVVM::MBarrierInitOp::create(e.b, e.loc, emptyBarrier(e.i32(stage)), e.i32(readers * cluster),
                                   Value());
    }
    for (int64_t group = 0; group < orderBarriers; ++group)
      NVVM::MBarrierInitOp::create(e.b, e.loc, orderBarrier(e.i32(group)), e.i32(readers), Value());
    NVVM::FenceMbarrierInitOp::create(e.b, e.loc);
  });
  syncCluster(e, cluster);
}

// Initial pipeline states. The phase before the first counts as complete and has parity 1, so
// producers start without waiting.
PipelineBarriers::PipelineState PipelineBarriers::first(bool copies) {
  return {e.i32(0), e.i32(copies ? 1 : 0)};
}

PipelineBarriers::PipelineState PipelineBarriers::after(PipelineState place, int64_t steps) {
  Value stage = e.add(place.stage, e.i32(steps % (2 * stages)));
  Value rounds = e.div(stage, stages);
  return {e.rem(stage, stages), e.bitXor(place.parity, e.bitAnd(rounds, 1))};
}

PipelineBarriers::PipelineState PipelineBarriers::next(PipelineState place) {
  Value isLast = target::equal(e, place.stage, e.i32(stages - 1));
  return {nextStage(place.stage),
          target::select(e, isLast, e.bitXor(place.parity, e.i32(1)), place.parity)};
}

Value PipelineBarriers::nextStage(Value stage) {
  Value isLast = target::equal(e, stage, e.i32(stages - 1));
  return target::select(e, isLast, e.i32(0), e.add(stage, e.i32(1)));
}

/// Longest suspension of a thread in a single try_wait, in nanoseconds.
static constexpr int64_t patience = 10'000'000;

void PipelineBarriers::wait(Value barrier, Value parity) {
  NVVM::MBarrierTryWaitParityOp::create(e.b, e.loc, barrier, parity, e.i32(patience));
}
void PipelineBarriers::waitUntilEmpty(PipelineState place) {
  wait(emptyBarrier(place.stage), place.parity);
}
void PipelineBarriers::waitUntilFull(PipelineState place) {
  wait(fullBarrier(place.stage), place.parity);
}

void PipelineBarriers::expect(PipelineState place, int64_t bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(e.b, e.loc, Type(), fullBarrier(place.stage), e.i32(bytes),
                                         NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
}

// wgmma reads shared memory through the async proxy; the writing thread must fence before wgmma
// sees the writes.
void PipelineBarriers::fenceAsyncProxy() {
  NVVM::FenceProxyOp::create(
      e.b, e.loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(e.b.getContext(), NVVM::SharedSpace::shared_cta));
}

void PipelineBarriers::fill(Value stage) {
  NVVM::MBarrierArriveOp::create(e.b, e.loc, e.b.getI64Type(), fullBarrier(stage), Value());
}

void PipelineBarriers::arriveAtOrderBarrier(Value group) {
  Value isFirst = target::equal(e, e.rem(e.thread(), 32), e.i32(0));
  e.when(isFirst, [&] {
    Value other = orderBarrier(e.bitXor(group, e.i32(1)));
    NVVM::MBarrierArriveOp::create(e.b, e.loc, e.b.getI64Type(), other, Value());
  });
}

// Only a warp that has waited for a wgmma knows the wgmma to be complete. Therefore every warp
// arrives at the empty barrier, with a lane per CTA of the cluster.
void PipelineBarriers::release(Value stage, Value condition) {
  Value lane = e.rem(e.thread(), 32), arrives = e.isBelow(lane, cluster);
  if (condition)
    arrives = target::both(e, arrives, condition);
  e.when(arrives, [&] {
    Value barrier = emptyBarrier(stage);
    if (cluster == 1) {
      NVVM::MBarrierArriveOp::create(e.b, e.loc, e.b.getI64Type(), barrier, Value());
      return;
    }
    auto remote = LLVM::LLVMPointerType::get(e.b.getContext(),
                                             unsigned(NVVM::NVVMMemorySpace::SharedCluster));
    // Arrival with CTA scope: only the completed wgmma must be ordered before. Cluster scope would
    // compile to a fence of the whole GPU's memory (MEMBAR.ALL.GPU) at every k-tile.
    Value other = NVVM::MapaOp::create(e.b, e.loc, remote, barrier, lane);
    NVVM::MBarrierArriveOp::create(e.b, e.loc, Type(), other, Value(), NVVM::MemScopeKind::CTA);
  });
}
