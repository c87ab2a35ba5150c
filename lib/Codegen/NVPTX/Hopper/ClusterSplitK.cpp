// Cluster split-K: the CTAs of a cluster divide k, and add their partial sums through distributed
// shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/WarpgroupKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Bytes of a 16 x 8 accumulator fragment of a warp, in register order: [lane][4 x f32].
static constexpr int64_t squareBytes = 32 * 16;

// Each CTA stores its partial sums where the pipeline was; then each CTA adds and finishes some of
// the columns.
void WarpgroupKernel::reduceClusterAndStore(const WorkTile &work, ValueRange sums) {
  int64_t squares = tile().n / 8, columns = plan.part.tile.n, blocks = tile().clusterSplitK;
  Value warp = e.div(e.thread(), 32), lane = e.rem(e.thread(), 32);
  Value own = e.add(e.mul(warp, squares * squareBytes), e.mul(lane, 16));
  Value place = e.advance(memory, own);
  NVVM::BarrierOp::create(e.b, e.loc, TypeRange(), e.i32(1), e.i32(128 * tile().groups),
                          // all consumers have finished reading the pipeline
                          NVVM::BarrierReductionAttr(), Value());
  for (int64_t i = 0; i < squares; ++i)
    e.storeVector(llvm::to_vector(sums.slice(4 * i, 4)), e.advance(place, i * squareBytes));
  syncCluster(e, tile().cluster());
  e.loop(e.index(0), e.index(tile().n / columns / blocks), 1, [&](Value turn) {
    Value at = e.mul(e.add(e.mul(asI32(turn), blocks), rank), columns);
    auto finish = [&] {
      Sums whole = addClusterPartials(e.advance(place, e.mul(at, squareBytes / 8)));
      Subtile part = subtileOf(work, at);
      storeSubtile(work, whole, part, prefetch(work, part));
    };
    if (plan.gemm.n % tile().n)
      e.when(e.isBelow(e.add(work.column, at), plan.gemm.n), finish);
    else
      finish();
  });
}

/// Sum of the partial sums that the CTAs of the cluster have at `place`, for the columns of a
/// subtile; in the order of CTAs, so that bits do not depend on timing.
WarpgroupKernel::Sums WarpgroupKernel::addClusterPartials(Value place) {
  auto remote =
      LLVM::LLVMPointerType::get(e.b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  Sums whole(plan.part.tile.n / 8);
  for (int64_t block = 0; block < tile().clusterSplitK; ++block) {
    Value there = NVVM::MapaOp::create(e.b, e.loc, remote, place, e.i32(block));
    for (auto [i, square] : llvm::enumerate(whole)) {
      auto four = e.loadVector(e.advance(there, int64_t(i) * squareBytes), e.b.getF32Type(), 4);
      for (auto [sum, x] : llvm::zip(square, four))
        sum = block ? arith::AddFOp::create(e.b, e.loc, sum, x).getResult() : x;
    }
  }
  return whole;
}
