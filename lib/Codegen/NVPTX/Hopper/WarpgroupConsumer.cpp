// Consumer warpgroups of a GEMM on Hopper: products of k-tiles (wgmma), and the epilogue.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/WarpgroupKernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

SmallVector<Value> WarpgroupKernel::issueKTile(Value stage, ValueRange sums, Value adds) {
  WgmmaTile left{64, plan.lhs.tile.alongDepth};
  Value lines = leftTile(stage), columns = rightTile(stage);
  lines = ownRows(lines);
  SmallVector<Value> next;
  for (int64_t high = 0, count = tile().n / 2; high < tile().high; ++high)
    llvm::append_range(
        next, issueProducts(e, left, plan.rhs.tile, e.advance(lines, high * left.bytes()), columns,
                            plan.gemm.element, sums.slice(high * count, count), adds));
  return next;
}

// A stage is freed when the wgmmas of the next k-tile have been issued, so that the tensor cores
// stay busy.
WarpgroupKernel::PipelineState
WarpgroupKernel::multiplyWorkTile(const WorkTile &work, PipelineState first,
                                  llvm::function_ref<void()> beforeProducts,
                                  llvm::function_ref<void()> afterProducts) {
  SmallVector<Value> carried{first.stage}; // stage of the k-tile before
  llvm::append_range(carried, undefinedAccumulators(e, tile().high * tile().n));
  if (beforeProducts)
    beforeProducts();
  auto after =
      forKTiles(work, first, carried, [&](Value step, PipelineState place, ValueRange now) {
        ring.waitUntilFull(place);
        Value isLater = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, step, e.i32(0));
        Value adds = arith::ExtUIOp::create(e.b, e.loc, e.b.getI32Type(), isLater);
        SmallVector<Value> next = issueKTile(place.stage, now.drop_front(), adds);
        waitForProducts(e, tile().high);
        ring.release(now[0], isLater);
        next.insert(next.begin(), place.stage);
        return next;
      });
  if (afterProducts)
    afterProducts();
  Epilogue::Prefetched ahead;
  if (tile().clusterSplitK == 1)
    ahead = prefetch(work, subtileOf(work, e.i32(0)));
  waitForProducts(e, 0);
  ring.release(after[2], Value());
  ValueRange sums = ArrayRef(after).drop_front(3);
  if (tile().clusterSplitK > 1)
    reduceClusterAndStore(work, sums);
  else
    store(work, sums, std::move(ahead));
  return {after[0], after[1]};
}

void WarpgroupKernel::consume() {
  multiplyWorkTiles();
  e.allStored(4 * tile().groups); // producer warps have too few registers for this code
}

// ---- Epilogue ----

WarpgroupKernel::Subtile WarpgroupKernel::subtileOf(const WorkTile &work, Value at) {
  return {e.add(work.line, e.mul(warpOfTile(), 16)), e.add(work.column, at)};
}
WarpgroupKernel::Subtile WarpgroupKernel::subtileOf(const WorkTile &work, Value number,
                                                    int64_t across) {
  Subtile part = subtileOf(work, e.mul(e.rem(number, across), plan.part.tile.n));
  part.line = e.add(part.line, e.mul(e.div(number, across), 64));
  return part;
}

Epilogue WarpgroupKernel::epilogueOf(const WorkTile &work) {
  return Epilogue(e, op, plan.part, product.results, pointers, work.entry, work.part);
}
/// Prefetches the epilogue's sources. A CTA of a cluster may be past the last row, so rows are
/// clamped. No prefetch if a producer gathers: the consumers then have no registers to spare.
Epilogue::Prefetched WarpgroupKernel::prefetch(const WorkTile &work, Subtile part) {
  if (plan.gathers() && tile().n > 128)
    return {};
  Value line = part.line;
  if (llvm::divideCeil(plan.gemm.m, tile().m()) % tile().multicast)
    line = target::select(e, e.isBelow(line, plan.gemm.m), line, e.i32(0));
  return epilogueOf(work).prefetch(line, part.column);
}

void WarpgroupKernel::storeSubtile(const WorkTile &work, const Sums &sums, Subtile part,
                                   Epilogue::Prefetched ahead) {
  e.syncWarp(e.i32(-1)); // the warp has read the subtile staged before
  epilogueOf(work).store(sums, part.line, part.column, e.advance(memory, tile().ringBytes()),
                         std::move(ahead));
}

void WarpgroupKernel::whenExists(const WorkTile &work, Subtile part,
                                 llvm::function_ref<void()> store) {
  Value exists;
  auto require = [&](Value holds) { exists = exists ? target::both(e, exists, holds) : holds; };
  if (plan.gemm.n % tile().n)
    require(e.isBelow(part.column, plan.gemm.n));
  if (llvm::divideCeil(plan.gemm.m, tile().m()) % tile().multicast)
    require(e.isBelow(work.line, plan.gemm.m));
  if (exists)
    e.when(exists, store);
  else
    store();
}

// Epilogue: the sources of the next subtile are prefetched before the present subtile is finished.
void WarpgroupKernel::store(const WorkTile &work, ValueRange sums, Epilogue::Prefetched ahead) {
  int64_t columns = plan.part.tile.n, across = tile().n / columns;
  SmallVector<Sums> parts(tile().high * across, Sums(columns / 8));
  for (auto [i, sum] : llvm::enumerate(sums))
    parts[i / (columns / 2)][i % (columns / 2) / 4][i % 4] = sum;
  if (parts.size() > 1 && epilogueOf(work).isLong())
    return storeInLoop(work, parts, std::move(ahead));
  for (size_t number = 0; number < parts.size(); ++number) {
    const Sums &own = parts[number];
    Subtile part = subtileOf(work, e.i32(number), across);
    Epilogue::Prefetched next;
    if (number + 1 < parts.size())
      next = prefetch(work, subtileOf(work, e.i32(number + 1), across));
    whenExists(work, part, [&] { storeSubtile(work, own, part, ahead); });
    ahead = std::move(next);
  }
}

// Epilogue as a loop over subtiles, for long bodies: code beyond the instruction cache would cost a
// warp several cycles per instruction. Only the code that stages the accumulators differs per
// subtile, and is selected by a switch.
void WarpgroupKernel::storeInLoop(const WorkTile &work, ArrayRef<Sums> sums,
                                  Epilogue::Prefetched ahead) {
  int64_t across = tile().n / plan.part.tile.n, count = sums.size();
  Value staging = e.advance(memory, tile().ringBytes());
  SmallVector<int64_t> others = llvm::to_vector(llvm::seq<int64_t>(1, count));
  e.loop(e.index(0), e.index(count), 1, Epilogue::valuesOf(ahead),
         [&](Value index, ValueRange now) {
           Value number = asI32(index), after = e.min(e.add(number, e.i32(1)), e.i32(count - 1));
           Subtile part = subtileOf(work, number, across);
           Epilogue::Prefetched next;
           if (!ahead.empty())
             next = prefetch(work, subtileOf(work, after, across));
           e.syncWarp(e.i32(-1)); // the warp has read the subtile staged before
           auto which =
               scf::IndexSwitchOp::create(e.b, e.loc, TypeRange(), index, others, others.size());
           for (auto [region, own] : llvm::zip(which->getRegions(), sums)) {
             OpBuilder::InsertionGuard guard(e.b);
             e.b.createBlock(&region);
             epilogueOf(work).stage(own, staging);
             scf::YieldOp::create(e.b, e.loc);
           }
           e.syncWarp(e.i32(-1));
           whenExists(work, part, [&] {
             epilogueOf(work).finish(part.line, part.column, staging, Epilogue::with(ahead, now));
           });
           return Epilogue::valuesOf(next);
         });
}
