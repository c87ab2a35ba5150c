// Multistage pipeline of the mma.sync and SIMT kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Product/KTilePipeline.h"
#include "lib/Codegen/Common/PlainLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

KTilePipeline::KTilePipeline(DeviceEmitter &e, const TileGemm &gemm, KTileCopy &lhs, KTileCopy &rhs,
                             Value part)
    : e(e), gemm(gemm), sides{&lhs, &rhs}, memory(e.sharedMemory()) {
  count = e.index(gemm.steps());
  Value first = e.i32(0);
  if (gemm.parts > 1) {
    first = e.mul(part, gemm.partDepth);
    Value end = e.min(e.add(first, e.i32(gemm.partDepth)), e.i32(gemm.depth));
    Value points = e.add(end, e.mul(first, -1));
    count = e.position(e.div(e.add(points, e.i32(gemm.stepDepth() - 1)), gemm.stepDepth()));
    for (KTileCopy *side : sides)
      side->endAt(end);
  }
  next = {e.i32(0), first, {lhs.firstSource(first), rhs.firstSource(first)}};
}

Value KTilePipeline::placeOf(const Step &step, unsigned side) {
  Value place = e.advance(memory, step.stage);
  return side == 0 ? place : e.advance(place, sides[0]->tileBytes());
}

KTilePipeline::Step KTilePipeline::after(const Step &step) {
  Value isLast = target::equal(e, step.stage, e.i32((gemm.tile.stages - 1) * gemm.stageBytes()));
  Value stage = target::select(e, isLast, e.i32(0), e.add(step.stage, e.i32(gemm.stageBytes())));
  return {stage,
          e.add(step.k, e.i32(gemm.stepDepth())),
          {sides[0]->nextSource(step.sources[0]), sides[1]->nextSource(step.sources[1])}};
}

// Issues the copies of asynchronous operands (`areAsync`), or starts the loads of operands that go
// through registers.
KTilePipeline::Moved KTilePipeline::begin(const Step &step, bool areAsync) {
  Moved moved;
  for (unsigned side : {0, 1})
    if (sides[side]->isAsync() == areAsync)
      moved[side] = sides[side]->begin(placeOf(step, side), step.sources[side], step.k);
  return moved;
}
void KTilePipeline::end(const Step &step, const Moved &moved) {
  for (unsigned side : {0, 1})
    if (!sides[side]->isAsync())
      sides[side]->end(placeOf(step, side), moved[side]);
}

// Prologue: issues all stages but the last, as far as there are k-tiles.
void KTilePipeline::start() {
  for (int64_t stage = 0; stage < ahead(); ++stage) {
    e.when(e.less(e.index(stage), count), [&] {
      begin(next, true);
      end(next, begin(next, false));
    });
    next = after(next);
    if (anyAsync())
      e.commitCopies();
  }
}

SmallVector<Value> KTilePipeline::run(ValueRange carried, Multiply multiply) {
  start();
  SmallVector<Value> state{e.i32(0), next.stage, next.k, next.sources[0], next.sources[1]};
  size_t own = state.size();
  llvm::append_range(state, carried);
  Value last = e.sub(count, e.index(ahead()));
  state = e.loop(e.index(0), count, 1, state, [&](Value step, ValueRange now) {
    // After the barrier the k-tile is visible to all threads, and no thread reads the stage that is
    // filled next.
    if (anyAsync())
      e.waitForCopies(gemm.tile.stages - 2);
    e.syncBlock();
    Step filled{now[1], now[2], {now[3], now[4]}}, read{now[0], now[2], {now[3], now[4]}};
    if (anyAsync()) {
      e.when(e.less(step, last), [&] { begin(filled, true); });
      e.commitCopies();
    }
    Moved moved = begin(filled, false);
    SmallVector<Value> sums = multiply(placeOf(read, 0), placeOf(read, 1), now.drop_front(own));
    end(filled, moved);
    Step later = after(filled);
    SmallVector<Value> next{after(read).stage, later.stage, later.k, later.sources[0],
                            later.sources[1]};
    llvm::append_range(next, sums);
    return next;
  });
  return llvm::to_vector(ArrayRef(state).drop_front(own));
}
