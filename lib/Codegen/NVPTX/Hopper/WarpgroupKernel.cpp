// GEMM on Hopper: a producer warpgroup copies k-tiles, consumer warpgroups multiply (wgmma) and
// store output tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Hopper/WarpgroupKernel.h"
#include "lib/Codegen/NVPTX/Hopper/ConsumerSchedule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

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
  row = e.mul(row, plan.tile.multicast);
  line = e.mul(plan.tile.multicast > 1 ? e.add(row, rank) : row, plan.tile.m());
  column = e.mul(e.div(within, group), plan.tile.n);
}

WarpgroupKernel::WarpgroupKernel(DeviceEmitter &e, const WarpgroupLaunch &launch)
    : e(e), op(launch.op), plan(launch.plan), product(launch.product), gathered(plan.gathered()),
      pointers(launch.pointers), maps(launch.maps), memory(e.sharedMemory(1024)),
      rank(e.rem(e.block(), plan.tile.cluster())), group(e.div(e.thread(), 128)),
      ring(e, e.advance(memory, plan.tile.ringBytes() + plan.stagingBytes()), plan.tile.stages,
           (plan.tensorBytes() ? 1 : 0) + (plan.gathers() ? 128 : 0),
           4 * plan.tile.groups / plan.tile.tilesInProgress(), plan.tile.multicast,
           plan.tile.consumers().orderBarriers()) {}

Value WarpgroupKernel::asI32(Value position) {
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
           PipelineState next = body(WorkTile(e, plan, asI32(number), rank), {now[0], now[1]});
           return {next.stage, next.parity};
         });
}

// If k-tiles do not divide evenly among split-K slices, the last slice has fewer; among the CTAs of
// a cluster, the first CTAs have one more.
std::pair<Value, Value> WarpgroupKernel::firstAndCount(const WorkTile &work) {
  Value count = e.index(plan.steps());
  if (plan.parts() > 1) {
    Value first = e.mul(e.position(work.part), plan.partSteps());
    return {first, e.min(e.sub(count, first), e.index(plan.partSteps()))};
  }
  if (tile().clusterSplitK == 1)
    return {e.index(0), count};
  int64_t each = plan.steps() / tile().clusterSplitK, rest = plan.steps() % tile().clusterSplitK;
  Value number = e.position(rank), before = e.min(number, e.index(rest));
  Value more = e.min(e.sub(e.index(rest), before), e.index(1));
  return {e.add(e.mul(number, each), before), e.add(more, each)};
}

SmallVector<Value> WarpgroupKernel::forKTiles(
    const WorkTile &work, PipelineState first, ValueRange carried,
    llvm::function_ref<SmallVector<Value>(Value, PipelineState, ValueRange)> body) {
  SmallVector<Value> state{first.stage, first.parity};
  llvm::append_range(state, carried);
  Value count = firstAndCount(work).second;
  return e.loop(e.index(0), count, 1, state, [&](Value step, ValueRange now) {
    PipelineState place{now[0], now[1]};
    SmallVector<Value> after = body(asI32(step), place, now.drop_front(2));
    PipelineState next = ring.next(place);
    after.insert(after.begin(), {next.stage, next.parity});
    return after;
  });
}

Value WarpgroupKernel::firstPoint(const WorkTile &work) {
  return e.mul(asI32(firstAndCount(work).first), kTilePoints);
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

void WarpgroupKernel::write() {
  ring.initialise();
  Value multiplies = e.isBelow(group, tile().groups);
  auto branch = scf::IfOp::create(e.b, e.loc, multiplies, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(branch.thenBlock());
    setRegisters(e, plan, multiplyRegisters);
    consume();
    e.b.setInsertionPointToStart(branch.elseBlock());
    setRegisters(e, plan, copyRegisters);
    produce();
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
                plan.tile.consumers().kernel(e, {op, plan, product, pointers, maps})->write();
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
