// Multistage pipeline of streamed tiles in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Attention/TilePipeline.h"
#include "lib/Codegen/Common/PlainLoops.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

void TilePipeline::start(Issue issue) {
  for (int64_t stage = 0; stage + 1 < stages; ++stage) {
    Value tile = e.add(from, stage);
    e.when(e.less(tile, to), [&] { issue(e.advance(memory, stage * stageBytes), tile); });
    e.commitCopies();
  }
}

void TilePipeline::waitForFirst() {
  e.waitForCopies(stages - 2);
  if (forWarpgroups) // wgmma reads shared memory through the async proxy, which needs a fence after
                     // cp.async
    NVVM::FenceProxyOp::create(
        e.b, e.loc, NVVM::ProxyKind::async_shared,
        NVVM::SharedSpaceAttr::get(e.b.getContext(), NVVM::SharedSpace::shared_cta));
  e.syncBlock();
}

Value TilePipeline::next(Value stage) {
  Value isLast = target::equal(e, stage, e.i32((stages - 1) * stageBytes));
  return target::select(e, isLast, e.i32(0), e.add(stage, e.i32(stageBytes)));
}

SmallVector<Value> TilePipeline::run(ValueRange carried, Issue issue, Use use) {
  SmallVector<Value> state{e.i32(0), e.i32((stages - 1) * stageBytes)};
  llvm::append_range(state, carried);
  state = e.loop(from, to, 1, state, [&](Value tile, ValueRange now) {
    waitForFirst();
    Value later = e.add(tile, stages - 1);
    e.when(e.less(later, to), [&] { issue(e.advance(memory, now[1]), later); });
    e.commitCopies();
    SmallVector<Value> after{next(now[0]), next(now[1])};
    llvm::append_range(after, use(e.advance(memory, now[0]), tile, now.drop_front(2)));
    return after;
  });
  if (mayBeEmpty) // copies before the loop must have arrived, too
    e.waitForCopies(0);
  return llvm::to_vector(ArrayRef(state).drop_front(2));
}
