// Producer warpgroup of a GEMM on Hopper: copies k-tiles by TMA, or gathers k-tiles in pieces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/WarpgroupKernel.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Called by a single producer thread.
void WarpgroupKernel::issueTensors(const WorkTile &work, PipelineState place, Value point) {
  Value fullBarrier = ring.fullBarrier(place.stage);
  ring.expect(place, plan.tensorBytes());
  if (plan.lhs.tensor)
    plan.lhs.tensor->issue(e, maps.front(), leftTile(place.stage), fullBarrier, work.line, point,
                           work.batch, rank);
  if (plan.rhs.tensor)
    plan.rhs.tensor->issue(e, maps.back(), rightTile(place.stage), fullBarrier, work.column, point,
                           work.batch, rank);
}

/// Called by a single producer thread.
WarpgroupKernel::PipelineState WarpgroupKernel::copyWorkTile(const WorkTile &work,
                                                             PipelineState first) {
  Value start = firstPoint(work);
  auto after = forKTiles(work, first, {}, [&](Value step, PipelineState place, ValueRange) {
    ring.waitUntilEmpty(place);
    issueTensors(work, place, e.add(start, e.mul(step, kTilePoints)));
    return SmallVector<Value>();
  });
  return {after[0], after[1]};
}

WarpgroupKernel::Gathers WarpgroupKernel::gathersOf(const WorkTile &work) {
  BlockTile place;
  place.part = work.part;
  place.entry = work.entry;
  place.batch = e.split(work.entry, plan.gemm.batch);
  place.line = work.line;
  place.column = work.column;
  Gathers sides;
  if (plan.lhs.isGathered())
    sides.push_back(std::make_unique<Gather>(e, gathered, product.lhs, pointers, place,
                                             &BlockTile::line, tile().m()));
  if (plan.rhs.isGathered())
    sides.push_back(std::make_unique<Gather>(e, gathered, product.rhs, pointers, place,
                                             &BlockTile::column, tile().n));
  return sides;
}

/// Called by the producer warpgroup. Copies through registers come last, because the copies wait
/// for their loads.
void WarpgroupKernel::gatherKTile(const WorkTile &work, const Gathers &sides, PipelineState place,
                                  Value point) {
  ring.waitUntilEmpty(place);
  if (plan.tensorBytes())
    e.when(target::equal(e, e.thread(), e.i32(128 * tile().groups)),
           [&] { issueTensors(work, place, point); });
  auto copy = [&](bool areAsync) {
    for (const auto &side : sides)
      if (side->isAsync() == areAsync)
        side->copy(side->isRight ? rightTile(place.stage) : leftTile(place.stage), point);
  };
  copy(/*areAsync=*/true);
  if (plan.stepsAhead())
    e.commitCopies();
  copy(/*areAsync=*/false);
}

/// Keeps `stepsAhead` k-tiles of cp.async in flight: the full barrier of a stage is signalled after
/// the stage's own copies have landed (wait_group). `now` = {oldest stage not yet signalled,
/// k-tiles left in the prologue}. The counter is carried because LLVM would otherwise peel the
/// prologue.
SmallVector<Value> WarpgroupKernel::fillBehind(PipelineState place, ValueRange now) {
  if (!plan.stepsAhead()) {
    ring.fenceAsyncProxy();
    ring.fill(place.stage);
    return llvm::to_vector(now);
  }
  Value pending = now[0], until = now[1], isTime = target::equal(e, until, e.i32(0));
  e.when(isTime, [&] {
    e.waitForCopies(plan.stepsAhead());
    ring.fenceAsyncProxy();
    ring.fill(pending);
  });
  return {target::select(e, isTime, ring.nextStage(pending), pending),
          e.max(e.add(until, e.i32(-1)), e.i32(0))};
}

/// Signals the full barriers of the last stages, after a work item of `count` k-tiles.
void WarpgroupKernel::fillRest(Value pending, Value count) {
  if (!plan.stepsAhead())
    return;
  e.waitForCopies(0);
  ring.fenceAsyncProxy();
  for (int64_t i = 0; i < plan.stepsAhead(); ++i) {
    e.when(e.less(e.index(i), count), [&] { ring.fill(pending); });
    pending = ring.nextStage(pending);
  }
}

WarpgroupKernel::PipelineState WarpgroupKernel::gatherWorkTile(const WorkTile &work,
                                                               PipelineState first) {
  Gathers sides = gathersOf(work);
  Value start = firstPoint(work);
  auto after = forKTiles(work, first, {first.stage, e.i32(plan.stepsAhead())},
                         [&](Value step, PipelineState place, ValueRange now) {
                           Value point = e.add(start, e.mul(step, kTilePoints));
                           gatherKTile(work, sides, place, point);
                           return fillBehind(place, now);
                         });
  fillRest(after[2], firstAndCount(work).second);
  return {after[0], after[1]};
}

void WarpgroupKernel::produce() {
  PipelineState first = ring.first(/*copies=*/true);
  if (plan.gathers())
    forWorkTiles(first, [&](const WorkTile &work, PipelineState place) {
      return gatherWorkTile(work, place);
    });
  else
    e.when(target::equal(e, e.thread(), e.i32(128 * tile().groups)), [&] {
      forWorkTiles(first, [&](const WorkTile &work, PipelineState place) {
        return copyWorkTile(work, place);
      });
    });
  if (tile().clusterSplitK > 1)
    syncCluster(e, tile().cluster()); // joins the barrier of the consumers' exchange
}
