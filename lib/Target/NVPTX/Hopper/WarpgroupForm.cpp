// kernel.gemm on Hopper: one warp copies tiles, two warpgroups multiply and store them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Hopper/BarrierRing.h"
#include "lib/Target/NVPTX/Hopper/WarpgroupGemm.h"
#include "lib/Target/NVPTX/Product/Epilogue.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

namespace {
using Place = BarrierRing::Place;

/// What a cluster forms at a time: a tile of each of its blocks, in a part of the sum. All i32.
struct Unit {
  Value part, entry;        // of the batch
  SmallVector<Value> batch; // the entry's positions
  Value line, column;       // of the block's tile in the result

  Unit(DeviceEmitter &e, const WarpgroupGemm &plan, Value number, Value rank);
};

/// Code of one launch.
class WarpgroupWriter {
public:
  WarpgroupWriter(DeviceEmitter &e, FusedKernelOpInterface op, const WarpgroupGemm &plan,
                  const ProductResults &results, const KernelPointers &pointers, ValueRange maps);
  void write();

private:
  const WarpgroupTile &tile() const { return plan.tile; }
  Value leftTile(Value stage) { return e.advance(memory, e.mul32(stage, tile().stageBytes())); }
  Value rightTile(Value stage) { return e.advance(leftTile(stage), plan.lhs.getTile().bytes()); }
  /// Every unit of the cluster after the other; the place in the ring goes on.
  void forUnits(Place first, llvm::function_ref<Place(const Unit &, Place)> body);
  /// Every step of a unit; `body` gets its number in the part, an i32, and what is carried.
  SmallVector<Value>
  forSteps(const Unit &unit, Place first, ValueRange carried,
           llvm::function_ref<SmallVector<Value>(Value, Place, ValueRange)> body);
  Place copyUnit(const Unit &unit, Place place);
  Place multiplyUnit(const Unit &unit, Place place);
  void store(const Unit &unit, ValueRange sums);
  void copy();
  void multiply();

  DeviceEmitter &e;
  FusedKernelOpInterface op;
  const WarpgroupGemm &plan;
  const ProductResults &results;
  const KernelPointers &pointers;
  ValueRange maps;
  Value memory, rank, group; // rank: of the block in its cluster; group: of the thread's warp
  BarrierRing ring;
};
} // namespace

// Up to eight rows of tiles after each other, so that clusters that run at the same time share
// sides.
Unit::Unit(DeviceEmitter &e, const WarpgroupGemm &plan, Value number, Value rank) {
  int64_t rows = plan.rows(), columns = plan.columns(), group = 8;
  while (rows % group)
    group /= 2;
  Value within = e.rem32(number, rows * columns), rest = e.div32(number, rows * columns);
  entry = e.rem32(rest, plan.gemm.batches());
  part = e.div32(rest, plan.gemm.batches());
  rest = entry;
  for (int64_t size : llvm::reverse(plan.gemm.batch)) {
    batch.insert(batch.begin(), e.rem32(rest, size));
    rest = e.div32(rest, size);
  }
  Value first = e.mul32(e.div32(within, group * columns), group);
  within = e.rem32(within, group * columns);
  Value row = e.add32(first, e.rem32(within, group));
  line = e.mul32(e.add32(e.mul32(row, plan.tile.cluster), rank), plan.tile.m());
  column = e.mul32(e.div32(within, group), plan.tile.n);
}

WarpgroupWriter::WarpgroupWriter(DeviceEmitter &e, FusedKernelOpInterface op,
                                 const WarpgroupGemm &plan, const ProductResults &results,
                                 const KernelPointers &pointers, ValueRange maps)
    : e(e), op(op), plan(plan), results(results), pointers(pointers), maps(maps),
      memory(e.sharedMemory(1024)), rank(e.rem32(e.block(), plan.tile.cluster)),
      group(e.div32(e.thread(), 128)),
      ring(e, e.advance(memory, plan.tile.ringBytes() + Epilogue::sharedBytes(plan.part)),
           plan.tile.stages, 4 * plan.tile.groups, plan.tile.cluster) {}

static Value asI32(DeviceEmitter &e, Value position) {
  return arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), position);
}

void WarpgroupWriter::forUnits(Place first, llvm::function_ref<Place(const Unit &, Place)> body) {
  Value cluster = e.div32(e.block(), tile().cluster);
  if (plan.units() == plan.clusters) {
    body(Unit(e, plan, cluster, rank), first);
    return;
  }
  e.loop(e.position(cluster), e.index(plan.units()), plan.clusters, {first.stage, first.parity},
         [&](Value number, ValueRange now) -> SmallVector<Value> {
           Place next = body(Unit(e, plan, asI32(e, number), rank), {now[0], now[1]});
           return {next.stage, next.parity};
         });
}

SmallVector<Value>
WarpgroupWriter::forSteps(const Unit &unit, Place first, ValueRange carried,
                          llvm::function_ref<SmallVector<Value>(Value, Place, ValueRange)> body) {
  SmallVector<Value> state{first.stage, first.parity};
  llvm::append_range(state, carried);
  Value count = e.index(plan.steps());
  if (plan.parts() > 1)
    count = e.min(e.sub(count, e.mul(e.position(unit.part), plan.partSteps())),
                  e.index(plan.partSteps()));
  return e.loop(e.index(0), count, 1, state, [&](Value step, ValueRange now) {
    Place place{now[0], now[1]};
    SmallVector<Value> after = body(asI32(e, step), place, now.drop_front(2));
    Place next = ring.next(place);
    after.insert(after.begin(), {next.stage, next.parity});
    return after;
  });
}

/// By one thread.
Place WarpgroupWriter::copyUnit(const Unit &unit, Place first) {
  Value start = e.mul32(unit.part, plan.partSteps() * stepPoints);
  auto after = forSteps(unit, first, {}, [&](Value step, Place place, ValueRange) {
    ring.waitUntilReleased(place);
    ring.expect(place, tile().stageBytes());
    Value point = e.add32(start, e.mul32(step, stepPoints)), filled = ring.filled(place.stage);
    plan.lhs.issue(e, maps[0], leftTile(place.stage), filled, unit.line, point, unit.batch, rank);
    plan.rhs.issue(e, maps[1], rightTile(place.stage), filled, unit.column, point, unit.batch,
                   rank);
    return SmallVector<Value>();
  });
  return {after[0], after[1]};
}

// A stage is released when the products of the next one have started: they keep the units busy.
Place WarpgroupWriter::multiplyUnit(const Unit &unit, Place first) {
  const WgmmaTile &right = plan.rhs.getTile();
  WgmmaTile left{64, plan.lhs.getTile().alongDepth};
  SmallVector<Value> carried{first.stage}; // the stage before
  llvm::append_range(carried, undefinedSums(e, right.lines));
  auto after = forSteps(unit, first, carried, [&](Value step, Place place, ValueRange now) {
    ring.waitUntilFilled(place);
    Value isLater = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, step, e.i32(0));
    Value adds = arith::ExtUIOp::create(e.b, e.loc, e.b.getI32Type(), isLater);
    Value lines = e.advance(leftTile(place.stage), e.mul32(group, left.bytes()));
    SmallVector<Value> next = startProducts(e, left, right, lines, rightTile(place.stage),
                                            plan.gemm.element, now.drop_front(), adds);
    waitForProducts(e, 1);
    ring.release(now[0], isLater);
    next.insert(next.begin(), place.stage);
    return next;
  });
  waitForProducts(e, 0);
  ring.release(after[2], Value());
  store(unit, ArrayRef(after).drop_front(3));
  return {after[0], after[1]};
}

void WarpgroupWriter::store(const Unit &unit, ValueRange sums) {
  const TileGemm &part = plan.part;
  Epilogue epilogue(e, op, part, results, pointers, unit.entry, unit.part);
  Value warp = e.div32(e.thread(), 32), shared = e.advance(memory, tile().ringBytes());
  Value line = e.add32(unit.line, e.mul32(warp, 16));
  int64_t columns = part.tile.n, perPart = columns / 2;
  auto storePart = [&](int64_t at) {
    SmallVector<std::array<Value, 4>> own(perPart / 4);
    for (int64_t i = 0; i < perPart; ++i)
      own[i / 4][i % 4] = sums[at / 2 + i];
    e.syncWarp(e.i32(-1)); // the part before has been read
    epilogue.store(own, line, e.add32(unit.column, e.i32(at)), shared);
  };
  for (int64_t at = 0; at < tile().n; at += columns) {
    Value exists;
    auto require = [&](Value holds) { exists = exists ? target::both(e, exists, holds) : holds; };
    if (plan.gemm.n % tile().n)
      require(e.less32(e.add32(unit.column, e.i32(at)), plan.gemm.n));
    if (llvm::divideCeil(plan.gemm.m, tile().m()) % tile().cluster)
      require(e.less32(unit.line, plan.gemm.m));
    if (exists)
      e.when(exists, [&] { storePart(at); });
    else
      storePart(at);
  }
}

// A multiprocessor has 65536 registers; with two groups that multiply a thread has at most 168 of
// them, of which one that copies needs few.
static constexpr int32_t copyRegisters = 40, multiplyRegisters = 232;

static void setRegisters(DeviceEmitter &e, const WarpgroupTile &tile, int32_t count) {
  if (tile.groups < 2)
    return;
  auto action =
      count > 168 ? NVVM::SetMaxRegisterAction::increase : NVVM::SetMaxRegisterAction::decrease;
  NVVM::SetMaxRegisterOp::create(e.b, e.loc, count, action);
}

void WarpgroupWriter::copy() {
  setRegisters(e, tile(), copyRegisters);
  e.when(target::equal(e, e.thread(), e.i32(128 * tile().groups)), [&] {
    forUnits(ring.first(/*copies=*/true),
             [&](const Unit &unit, Place place) { return copyUnit(unit, place); });
  });
}
void WarpgroupWriter::multiply() {
  setRegisters(e, tile(), multiplyRegisters);
  forUnits(ring.first(/*copies=*/false),
           [&](const Unit &unit, Place place) { return multiplyUnit(unit, place); });
}

void WarpgroupWriter::write() {
  ring.initialise();
  Value multiplies = e.less32(group, tile().groups);
  auto branch = scf::IfOp::create(e.b, e.loc, multiplies, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(branch.thenBlock());
    multiply();
    e.b.setInsertionPointToStart(branch.elseBlock());
    copy();
  }
  // Others may still write to this block's memory, or arrive at its barriers.
  if (tile().cluster > 1)
    syncCluster(e, tile().cluster);
}

void nvptx::emitWarpgroups(FusedKernelOpInterface op, DeviceCode &code, const WarpgroupGemm &plan,
                           const ProductResults &results) {
  code.describe(plan.describe());
  LaunchShape shape;
  shape.grid[0] = plan.clusters * plan.tile.cluster;
  shape.threads = plan.tile.threads();
  shape.cluster = plan.tile.cluster;
  shape.sharedBytes = plan.sharedBytes();
  code.launch(shape, {plan.lhs.getMap(), plan.rhs.getMap()},
              [&](DeviceEmitter &e, const KernelPointers &pointers, ValueRange maps) {
                WarpgroupWriter(e, op, plan, results, pointers, maps).write();
              });
  if (plan.parts() > 1)
    launchFinish(op, code, results, plan.gemm.batch, plan.gemm.m, plan.gemm.n, plan.parts());
}
