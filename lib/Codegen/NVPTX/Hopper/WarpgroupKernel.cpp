// GEMM on Hopper: a producer warpgroup copies k-tiles, consumer warpgroups multiply (wgmma) and
// store output tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/Gather.h"
#include "lib/Codegen/NVPTX/Hopper/PipelineBarriers.h"
#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"
#include "lib/Codegen/NVPTX/Product/Epilogue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

namespace {
using PipelineState = PipelineBarriers::PipelineState;
using Sums = SmallVector<std::array<Value, 4>>;
using Gathers = SmallVector<std::unique_ptr<Gather>>;

/// One work item of the persistent tile scheduler: the output tile of each CTA of the cluster, for
/// one split-K slice. All values are i32.
struct WorkTile {
  Value part, entry;        // part: split-K slice; entry: of the batch
  SmallVector<Value> batch; // indices of the entry along the batch dimensions
  Value line, column;       // first row and column of the CTA's tile in the result

  WorkTile(DeviceEmitter &e, const WarpgroupGemm &plan, Value number, Value rank);
};

/// Emits the code of a launch: tile scheduler, producer, consumers and epilogue.
class WarpgroupKernel {
public:
  WarpgroupKernel(DeviceEmitter &e, FusedKernelOpInterface op, const WarpgroupGemm &plan,
                  const TileProduct &product, const KernelPointers &pointers, ValueRange maps);
  void write();

private:
  const WarpgroupTile &tile() const { return plan.tile; }
  Value leftTile(Value stage) { return e.advance(memory, e.mul(stage, tile().stageBytes())); }
  Value rightTile(Value stage) { return e.advance(leftTile(stage), plan.lhs.tile.bytes()); }
  /// Tile scheduler: calls `body` for every work item of the cluster; the pipeline state continues
  /// from item to item.
  void forWorkTiles(PipelineState first,
                    llvm::function_ref<PipelineState(const WorkTile &, PipelineState)> body);
  /// Ping-pong schedule: calls `body` for the work items of this consumer warpgroup. `body` waits
  /// on the order barrier at the given parity, and releases the barrier once its wgmmas are issued.
  void
  forPingPongTiles(llvm::function_ref<PipelineState(const WorkTile &, PipelineState, Value)> body);
  /// First k-tile of this CTA within the work item, and the number of k-tiles; of type index.
  std::pair<Value, Value> firstAndCount(const WorkTile &unit);
  /// Main loop: calls `body` for every k-tile of the CTA, with the number of the k-tile (i32), the
  /// pipeline state and the carried values.
  SmallVector<Value>
  forKTiles(const WorkTile &unit, PipelineState first, ValueRange carried,
            llvm::function_ref<SmallVector<Value>(Value, PipelineState, ValueRange)> body);
  Value firstPoint(const WorkTile &unit);
  void issueTensors(const WorkTile &unit, PipelineState place, Value point);
  PipelineState copyUnit(const WorkTile &unit, PipelineState place);
  Gathers gathersOf(const WorkTile &unit);
  void gatherKTile(const WorkTile &unit, const Gathers &sides, PipelineState place, Value point);
  SmallVector<Value> fillBehind(PipelineState place, ValueRange now);
  void fillRest(Value pending, Value count);
  PipelineState gatherUnit(const WorkTile &unit, PipelineState place);
  /// `parity`: of the order barrier; null in the cooperative schedule.
  PipelineState multiplyUnit(const WorkTile &unit, PipelineState place, Value parity);
  /// Issues the wgmmas of a k-tile; `sums` holds the accumulators of 64 rows after 64 rows.
  SmallVector<Value> issueKTile(Value stage, ValueRange sums, Value adds);
  /// Epilogue subtile: 16 rows of a warp by some columns; row and column in the result, i32.
  struct Subtile {
    Value line, column;
  };
  /// Subtile of this warp in the uppermost rows: 16 rows, and the columns from `at` (i32) on.
  Subtile subtileOf(const WorkTile &unit, Value at) {
    Value warp = e.div(e.thread(), 32);
    if (tile().takesTurns)
      warp = e.rem(warp, 4);
    return {e.add(unit.line, e.mul(warp, 16)), e.add(unit.column, at)};
  }
  /// Subtile by number: `across` subtiles side by side, then the subtiles 64 rows below.
  Subtile subtileOf(const WorkTile &unit, Value number, int64_t across) {
    Subtile part = subtileOf(unit, e.mul(e.rem(number, across), plan.part.tile.n));
    part.line = e.add(part.line, e.mul(e.div(number, across), 64));
    return part;
  }
  void whenExists(const WorkTile &unit, Subtile part, llvm::function_ref<void()> store);
  void storeSubtile(const WorkTile &unit, const Sums &sums, Subtile part,
                    Epilogue::Prefetched ahead);
  void storeInLoop(const WorkTile &unit, ArrayRef<Sums> sums, Epilogue::Prefetched ahead);
  Epilogue epilogueOf(const WorkTile &unit) {
    return Epilogue(e, op, plan.part, product.results, pointers, unit.entry, unit.part);
  }
  /// Prefetches the epilogue's sources. A CTA of a cluster may be past the last row, so rows are
  /// clamped. No prefetch if a producer gathers: the consumers then have no registers to spare.
  Epilogue::Prefetched prefetch(const WorkTile &unit, Subtile part) {
    if (plan.gathers() && tile().n > 128)
      return {};
    Value line = part.line;
    if (llvm::divideCeil(plan.gemm.m, tile().m()) % tile().sharers)
      line = target::select(e, e.isBelow(line, plan.gemm.m), line, e.i32(0));
    return epilogueOf(unit).prefetch(line, part.column);
  }
  void store(const WorkTile &unit, ValueRange sums, Epilogue::Prefetched ahead);
  void reduceClusterAndStore(const WorkTile &unit, ValueRange sums);
  Sums addClusterPartials(Value place);
  void copy();
  void multiply();

  DeviceEmitter &e;
  FusedKernelOpInterface op;
  const WarpgroupGemm &plan;
  const TileProduct &product;
  const TileGemm gathered;
  const KernelPointers &pointers;
  ValueRange maps;
  Value memory, rank, group; // rank: number of the CTA in the cluster; group: warpgroup of the
                             // thread
  PipelineBarriers ring;
};
} // namespace

// Rasterization: up to eight rows of tiles in column-major order, so that clusters that run at the
// same time share operand tiles in L2.
WorkTile::WorkTile(DeviceEmitter &e, const WarpgroupGemm &plan, Value number, Value rank) {
  int64_t rows = plan.rows(), columns = plan.columns(), group = 8;
  while (rows % group)
    group /= 2;
  Value within = e.rem(number, rows * columns), rest = e.div(number, rows * columns);
  entry = e.rem(rest, plan.gemm.batches());
  part = e.div(rest, plan.gemm.batches());
  rest = entry;
  for (int64_t size : llvm::reverse(plan.gemm.batch)) {
    batch.insert(batch.begin(), e.rem(rest, size));
    rest = e.div(rest, size);
  }
  Value first = e.mul(e.div(within, group * columns), group);
  within = e.rem(within, group * columns);
  Value row = e.add(first, e.rem(within, group));
  row = e.mul(row, plan.tile.sharers);
  line = e.mul(plan.tile.sharers > 1 ? e.add(row, rank) : row, plan.tile.m());
  column = e.mul(e.div(within, group), plan.tile.n);
}

WarpgroupKernel::WarpgroupKernel(DeviceEmitter &e, FusedKernelOpInterface op,
                                 const WarpgroupGemm &plan, const TileProduct &product,
                                 const KernelPointers &pointers, ValueRange maps)
    : e(e), op(op), plan(plan), product(product), gathered(plan.gathered()), pointers(pointers),
      maps(maps), memory(e.sharedMemory(1024)), rank(e.rem(e.block(), plan.tile.cluster())),
      group(e.div(e.thread(), 128)),
      ring(e, e.advance(memory, plan.tile.ringBytes() + plan.stagingBytes()), plan.tile.stages,
           (plan.tensorBytes() ? 1 : 0) + (plan.gathers() ? 128 : 0),
           4 * plan.tile.groups / plan.tile.turns(), plan.tile.sharers, plan.tile.takesTurns) {}

static Value asI32(DeviceEmitter &e, Value position) {
  return arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), position);
}

void WarpgroupKernel::forWorkTiles(
    PipelineState first, llvm::function_ref<PipelineState(const WorkTile &, PipelineState)> body) {
  Value cluster = e.div(e.block(), tile().cluster());
  if (plan.units() == plan.clusters) {
    body(WorkTile(e, plan, cluster, rank), first);
    return;
  }
  e.loop(e.position(cluster), e.index(plan.units()), plan.clusters, {first.stage, first.parity},
         [&](Value number, ValueRange now) -> SmallVector<Value> {
           PipelineState next = body(WorkTile(e, plan, asI32(e, number), rank), {now[0], now[1]});
           return {next.stage, next.parity};
         });
}

// Pipeline stages are used in the order of work items, so each warpgroup skips the stages of the
// other warpgroup's items.
void WarpgroupKernel::forPingPongTiles(
    llvm::function_ref<PipelineState(const WorkTile &, PipelineState, Value)> body) {
  PipelineState first = ring.first(/*copies=*/false), second = ring.after(first, plan.steps());
  Value isFirst = target::equal(e, group, e.i32(0));
  Value stage = target::select(e, isFirst, first.stage, second.stage);
  Value parity = target::select(e, isFirst, first.parity, second.parity);
  Value turn = target::select(e, isFirst, e.i32(1), e.i32(0));
  Value from = e.add(e.div(e.block(), tile().cluster()), e.mul(group, plan.clusters));
  e.loop(e.position(from), e.index(plan.units()), tile().turns() * plan.clusters,
         {stage, parity, turn}, [&](Value number, ValueRange now) -> SmallVector<Value> {
           PipelineState next =
               body(WorkTile(e, plan, asI32(e, number), rank), {now[0], now[1]}, now[2]);
           next = ring.after(next, plan.steps());
           return {next.stage, next.parity, e.bitXor(now[2], e.i32(1))};
         });
}

// If k-tiles do not divide evenly among split-K slices, the last slice has fewer; among the CTAs of
// a cluster, the first CTAs have one more.
std::pair<Value, Value> WarpgroupKernel::firstAndCount(const WorkTile &unit) {
  Value count = e.index(plan.steps());
  if (plan.parts() > 1) {
    Value first = e.mul(e.position(unit.part), plan.partSteps());
    return {first, e.min(e.sub(count, first), e.index(plan.partSteps()))};
  }
  if (tile().dividers == 1)
    return {e.index(0), count};
  int64_t each = plan.steps() / tile().dividers, rest = plan.steps() % tile().dividers;
  Value number = e.position(rank), before = e.min(number, e.index(rest));
  Value more = e.min(e.sub(e.index(rest), before), e.index(1));
  return {e.add(e.mul(number, each), before), e.add(more, each)};
}

SmallVector<Value> WarpgroupKernel::forKTiles(
    const WorkTile &unit, PipelineState first, ValueRange carried,
    llvm::function_ref<SmallVector<Value>(Value, PipelineState, ValueRange)> body) {
  SmallVector<Value> state{first.stage, first.parity};
  llvm::append_range(state, carried);
  Value count = firstAndCount(unit).second;
  return e.loop(e.index(0), count, 1, state, [&](Value step, ValueRange now) {
    PipelineState place{now[0], now[1]};
    SmallVector<Value> after = body(asI32(e, step), place, now.drop_front(2));
    PipelineState next = ring.next(place);
    after.insert(after.begin(), {next.stage, next.parity});
    return after;
  });
}

Value WarpgroupKernel::firstPoint(const WorkTile &unit) {
  return e.mul(asI32(e, firstAndCount(unit).first), kTilePoints);
}

/// Called by a single producer thread.
void WarpgroupKernel::issueTensors(const WorkTile &unit, PipelineState place, Value point) {
  Value fullBarrier = ring.fullBarrier(place.stage);
  ring.expect(place, plan.tensorBytes());
  if (plan.lhs.tensor)
    plan.lhs.tensor->issue(e, maps.front(), leftTile(place.stage), fullBarrier, unit.line, point,
                           unit.batch, rank);
  if (plan.rhs.tensor)
    plan.rhs.tensor->issue(e, maps.back(), rightTile(place.stage), fullBarrier, unit.column, point,
                           unit.batch, rank);
}

/// Called by a single producer thread.
PipelineState WarpgroupKernel::copyUnit(const WorkTile &unit, PipelineState first) {
  Value start = firstPoint(unit);
  auto after = forKTiles(unit, first, {}, [&](Value step, PipelineState place, ValueRange) {
    ring.waitUntilEmpty(place);
    issueTensors(unit, place, e.add(start, e.mul(step, kTilePoints)));
    return SmallVector<Value>();
  });
  return {after[0], after[1]};
}

Gathers WarpgroupKernel::gathersOf(const WorkTile &unit) {
  BlockTile place;
  place.part = unit.part;
  place.entry = unit.entry;
  place.batch = e.split(unit.entry, plan.gemm.batch);
  place.line = unit.line;
  place.column = unit.column;
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
void WarpgroupKernel::gatherKTile(const WorkTile &unit, const Gathers &sides, PipelineState place,
                                  Value point) {
  ring.waitUntilEmpty(place);
  if (plan.tensorBytes())
    e.when(target::equal(e, e.thread(), e.i32(128 * tile().groups)),
           [&] { issueTensors(unit, place, point); });
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

PipelineState WarpgroupKernel::gatherUnit(const WorkTile &unit, PipelineState first) {
  Gathers sides = gathersOf(unit);
  Value start = firstPoint(unit);
  auto after = forKTiles(unit, first, {first.stage, e.i32(plan.stepsAhead())},
                         [&](Value step, PipelineState place, ValueRange now) {
                           Value point = e.add(start, e.mul(step, kTilePoints));
                           gatherKTile(unit, sides, place, point);
                           return fillBehind(place, now);
                         });
  fillRest(after[2], firstAndCount(unit).second);
  return {after[0], after[1]};
}

SmallVector<Value> WarpgroupKernel::issueKTile(Value stage, ValueRange sums, Value adds) {
  WgmmaTile left{64, plan.lhs.tile.alongDepth};
  Value lines = leftTile(stage), columns = rightTile(stage);
  if (!tile().takesTurns)
    lines = e.advance(lines, e.mul(group, left.bytes()));
  SmallVector<Value> next;
  for (int64_t high = 0, count = tile().n / 2; high < tile().high; ++high)
    llvm::append_range(
        next, issueProducts(e, left, plan.rhs.tile, e.advance(lines, high * left.bytes()), columns,
                            plan.gemm.element, sums.slice(high * count, count), adds));
  return next;
}

// Consumer of a work item. A stage is freed when the wgmmas of the next k-tile have been issued, so
// that the tensor cores stay busy; the order barrier is passed on when all have been issued.
PipelineState WarpgroupKernel::multiplyUnit(const WorkTile &unit, PipelineState first,
                                            Value parity) {
  SmallVector<Value> carried{first.stage}; // stage of the k-tile before
  llvm::append_range(carried, undefinedAccumulators(e, tile().high * tile().n));
  if (tile().takesTurns)
    ring.waitForOrderBarrier(group, parity);
  auto after =
      forKTiles(unit, first, carried, [&](Value step, PipelineState place, ValueRange now) {
        ring.waitUntilFull(place);
        Value isLater = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, step, e.i32(0));
        Value adds = arith::ExtUIOp::create(e.b, e.loc, e.b.getI32Type(), isLater);
        SmallVector<Value> next = issueKTile(place.stage, now.drop_front(), adds);
        waitForProducts(e, tile().high);
        ring.release(now[0], isLater);
        next.insert(next.begin(), place.stage);
        return next;
      });
  if (tile().takesTurns)
    ring.arriveAtOrderBarrier(group);
  Epilogue::Prefetched ahead;
  if (tile().dividers == 1)
    ahead = prefetch(unit, subtileOf(unit, e.i32(0)));
  waitForProducts(e, 0);
  ring.release(after[2], Value());
  ValueRange sums = ArrayRef(after).drop_front(3);
  if (tile().dividers > 1)
    reduceClusterAndStore(unit, sums);
  else
    store(unit, sums, std::move(ahead));
  return {after[0], after[1]};
}

void WarpgroupKernel::storeSubtile(const WorkTile &unit, const Sums &sums, Subtile part,
                                   Epilogue::Prefetched ahead) {
  e.syncWarp(e.i32(-1)); // the warp has read the subtile staged before
  epilogueOf(unit).store(sums, part.line, part.column, e.advance(memory, tile().ringBytes()),
                         std::move(ahead));
}

void WarpgroupKernel::whenExists(const WorkTile &unit, Subtile part,
                                 llvm::function_ref<void()> store) {
  Value exists;
  auto require = [&](Value holds) { exists = exists ? target::both(e, exists, holds) : holds; };
  if (plan.gemm.n % tile().n)
    require(e.isBelow(part.column, plan.gemm.n));
  if (llvm::divideCeil(plan.gemm.m, tile().m()) % tile().sharers)
    require(e.isBelow(unit.line, plan.gemm.m));
  if (exists)
    e.when(exists, store);
  else
    store();
}

// Epilogue: the sources of the next subtile are prefetched before the present subtile is finished.
void WarpgroupKernel::store(const WorkTile &unit, ValueRange sums, Epilogue::Prefetched ahead) {
  int64_t columns = plan.part.tile.n, across = tile().n / columns;
  SmallVector<Sums> parts(tile().high * across, Sums(columns / 8));
  for (auto [i, sum] : llvm::enumerate(sums))
    parts[i / (columns / 2)][i % (columns / 2) / 4][i % 4] = sum;
  if (parts.size() > 1 && epilogueOf(unit).isLong())
    return storeInLoop(unit, parts, std::move(ahead));
  for (size_t number = 0; number < parts.size(); ++number) {
    const Sums &own = parts[number];
    Subtile part = subtileOf(unit, e.i32(number), across);
    Epilogue::Prefetched next;
    if (number + 1 < parts.size())
      next = prefetch(unit, subtileOf(unit, e.i32(number + 1), across));
    whenExists(unit, part, [&] { storeSubtile(unit, own, part, ahead); });
    ahead = std::move(next);
  }
}

// Epilogue as a loop over subtiles, for long bodies: code beyond the instruction cache would cost a
// warp several cycles per instruction. Only the code that stages the accumulators differs per
// subtile, and is selected by a switch.
void WarpgroupKernel::storeInLoop(const WorkTile &unit, ArrayRef<Sums> sums,
                                  Epilogue::Prefetched ahead) {
  int64_t across = tile().n / plan.part.tile.n, count = sums.size();
  Value staging = e.advance(memory, tile().ringBytes());
  SmallVector<int64_t> others = llvm::to_vector(llvm::seq<int64_t>(1, count));
  e.loop(e.index(0), e.index(count), 1, Epilogue::valuesOf(ahead),
         [&](Value index, ValueRange now) {
           Value number = asI32(e, index), after = e.min(e.add(number, e.i32(1)), e.i32(count - 1));
           Subtile part = subtileOf(unit, number, across);
           Epilogue::Prefetched next;
           if (!ahead.empty())
             next = prefetch(unit, subtileOf(unit, after, across));
           e.syncWarp(e.i32(-1)); // the warp has read the subtile staged before
           auto which =
               scf::IndexSwitchOp::create(e.b, e.loc, TypeRange(), index, others, others.size());
           for (auto [region, own] : llvm::zip(which->getRegions(), sums)) {
             OpBuilder::InsertionGuard guard(e.b);
             e.b.createBlock(&region);
             epilogueOf(unit).stage(own, staging);
             scf::YieldOp::create(e.b, e.loc);
           }
           e.syncWarp(e.i32(-1));
           whenExists(unit, part, [&] {
             epilogueOf(unit).finish(part.line, part.column, staging, Epilogue::with(ahead, now));
           });
           return Epilogue::valuesOf(next);
         });
}

/// Bytes of a 16 x 8 accumulator fragment of a warp, in register order: [lane][4 x f32].
static constexpr int64_t squareBytes = 32 * 16;

// Cluster split-K: each CTA stores its partial sums where the pipeline was; then each CTA adds and
// finishes some of the columns through distributed shared memory.
void WarpgroupKernel::reduceClusterAndStore(const WorkTile &unit, ValueRange sums) {
  int64_t squares = tile().n / 8, columns = plan.part.tile.n, blocks = tile().dividers;
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
    Value at = e.mul(e.add(e.mul(asI32(e, turn), blocks), rank), columns);
    auto finish = [&] {
      Sums whole = addClusterPartials(e.advance(place, e.mul(at, squareBytes / 8)));
      Subtile part = subtileOf(unit, at);
      storeSubtile(unit, whole, part, prefetch(unit, part));
    };
    if (plan.gemm.n % tile().n)
      e.when(e.isBelow(e.add(unit.column, at), plan.gemm.n), finish);
    else
      finish();
  });
}

/// Sum of the partial sums that the CTAs of the cluster have at `place`, for the columns of a
/// subtile; in the order of CTAs, so that bits do not depend on timing.
Sums WarpgroupKernel::addClusterPartials(Value place) {
  auto remote =
      LLVM::LLVMPointerType::get(e.b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  Sums whole(plan.part.tile.n / 8);
  for (int64_t block = 0; block < tile().dividers; ++block) {
    Value there = NVVM::MapaOp::create(e.b, e.loc, remote, place, e.i32(block));
    for (auto [i, square] : llvm::enumerate(whole)) {
      auto four = e.loadVector(e.advance(there, int64_t(i) * squareBytes), e.b.getF32Type(), 4);
      for (auto [sum, x] : llvm::zip(square, four))
        sum = block ? arith::AddFOp::create(e.b, e.loc, sum, x).getResult() : x;
    }
  }
  return whole;
}

// Register reallocation (setmaxnreg). A multiprocessor has 65536 registers; with two consumer
// warpgroups, a thread has at most 168, of which a producer by TMA needs few. With at most 64
// accumulators per thread 168 are enough for consumers.
static constexpr int32_t copyRegisters = 40, multiplyRegisters = 232;

static void setRegisters(DeviceEmitter &e, const WarpgroupGemm &plan, int32_t count) {
  if (plan.gathers() || plan.tile.groups < 2 || plan.tile.threadSums() <= 64)
    return;
  auto action =
      count > 168 ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(e.b, e.loc, count, action);
}

void WarpgroupKernel::copy() {
  setRegisters(e, plan, copyRegisters);
  PipelineState first = ring.first(/*copies=*/true);
  if (plan.gathers())
    forWorkTiles(
        first, [&](const WorkTile &unit, PipelineState place) { return gatherUnit(unit, place); });
  else
    e.when(target::equal(e, e.thread(), e.i32(128 * tile().groups)), [&] {
      forWorkTiles(
          first, [&](const WorkTile &unit, PipelineState place) { return copyUnit(unit, place); });
    });
  if (tile().dividers > 1)
    syncCluster(e, tile().cluster()); // joins the barrier of the consumers' exchange
}
void WarpgroupKernel::multiply() {
  setRegisters(e, plan, multiplyRegisters);
  if (tile().takesTurns)
    forPingPongTiles([&](const WorkTile &unit, PipelineState place, Value parity) {
      return multiplyUnit(unit, place, parity);
    });
  else
    forWorkTiles(ring.first(/*copies=*/false), [&](const WorkTile &unit, PipelineState place) {
      return multiplyUnit(unit, place, Value());
    });
  e.allStored(4 * tile().groups); // producer warps have too few registers for this code
}

void WarpgroupKernel::write() {
  ring.initialise();
  Value multiplies = e.isBelow(group, tile().groups);
  auto branch = scf::IfOp::create(e.b, e.loc, multiplies, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(branch.thenBlock());
    multiply();
    e.b.setInsertionPointToStart(branch.elseBlock());
    copy();
  }
  // Other CTAs of the cluster may still write to this CTA's memory, or arrive at barriers here.
  if (tile().cluster() > 1)
    syncCluster(e, tile().cluster());
}

void nvptx::emitWarpgroups(FusedKernelOpInterface op, DeviceCode &code, const WarpgroupGemm &plan,
                           const TileProduct &product) {
  LaunchShape shape;
  shape.grid[0] = plan.clusters * plan.tile.cluster();
  shape.threads = plan.tile.threads();
  shape.cluster = plan.tile.cluster();
  shape.sharedBytes = plan.sharedBytes();
  shape.writesFinalResults = plan.parts() == 1;
  SmallVector<kernel::TensorMapAttr> tensorMaps;
  for (const WarpgroupSide *side : {&plan.lhs, &plan.rhs})
    if (side->tensor)
      tensorMaps.push_back(side->tensor->getMap());
  code.launch(shape, tensorMaps,
              [&](DeviceEmitter &e, const KernelPointers &pointers, ValueRange maps) {
                WarpgroupKernel(e, op, plan, product, pointers, maps).write();
              });
  if (plan.parts() > 1)
    launchSplitKReduction(op, code, product.results, plan.gemm.batch, plan.gemm.m, plan.gemm.n,
                          plan.parts());
}

int64_t nvptx::finalWarps(FusedKernelOpInterface op, const WarpgroupGemm &plan,
                          const ProductResults &results) {
  return plan.parts() == 1 ? plan.clusters * plan.tile.cluster() * 4 * plan.tile.groups
                           : splitKReductionWarps(op, results, plan.gemm);
}
