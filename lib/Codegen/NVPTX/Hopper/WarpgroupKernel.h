// Kernel of a GEMM on Hopper: tile scheduler, producer warpgroup, consumer warpgroups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_HOPPER_WARPGROUPKERNEL_H
#define LIB_CODEGEN_NVPTX_HOPPER_WARPGROUPKERNEL_H

#include "lib/Codegen/NVPTX/Hopper/Gather.h"
#include "lib/Codegen/NVPTX/Hopper/PipelineBarriers.h"
#include "lib/Codegen/NVPTX/Hopper/WarpgroupGemm.h"
#include "lib/Codegen/NVPTX/Product/Epilogue.h"

namespace ampc::nvptx {

/// One work item of the persistent tile scheduler: the output tile of each CTA of the cluster, for
/// one split-K slice. All values are i32.
struct WorkTile {
  using Value = mlir::Value;
  Value part, entry;              // part: split-K slice; entry: of the batch
  llvm::SmallVector<Value> batch; // indices of the entry along the batch dimensions
  Value line, column;             // first row and column of the CTA's tile in the result

  WorkTile(DeviceEmitter &e, const WarpgroupGemm &plan, Value number, Value rank);
};

/// A launch of a GEMM: the op, its plan, and the operands of the device function.
struct WarpgroupLaunch {
  FusedKernelOpInterface op;
  const WarpgroupGemm &plan;
  const TileProduct &product;
  const KernelPointers &pointers;
  mlir::ValueRange maps; // tensor maps of the operands that TMA copies
};

/// Emits the code of a launch. Derived classes are the schedules of the consumer warpgroups:
/// Cooperative.cpp and PingPong.cpp.
class WarpgroupKernel {
public:
  WarpgroupKernel(DeviceEmitter &e, const WarpgroupLaunch &launch);
  virtual ~WarpgroupKernel() = default;
  void write();

protected:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using PipelineState = PipelineBarriers::PipelineState;
  using Gathers = llvm::SmallVector<std::unique_ptr<Gather>>;
  /// Accumulators of a subtile: four sums per eight columns.
  using Sums = llvm::SmallVector<std::array<Value, 4>>;

  // ---- Schedule of the consumers ----
  /// Calls multiplyWorkTile for the work items of this consumer warpgroup.
  virtual void multiplyWorkTiles() = 0;
  /// Address of the warpgroup's own rows in a k-tile of the left operand, which begins at `lines`.
  virtual Value ownRows(Value lines) = 0;
  /// Number of the warp among the warps of its output tile.
  virtual Value warpOfTile() = 0;

  const WarpgroupTile &tile() const { return plan.tile; }
  Value asI32(Value position);
  Value leftTile(Value stage) { return e.advance(memory, e.mul(stage, tile().stageBytes())); }
  Value rightTile(Value stage) { return e.advance(leftTile(stage), plan.lhs.tile.bytes()); }
  /// Tile scheduler: calls `body` for every work item of the cluster; the pipeline state continues
  /// from item to item.
  void forWorkTiles(PipelineState first,
                    llvm::function_ref<PipelineState(const WorkTile &, PipelineState)> body);
  /// Consumer of a work item. `beforeProducts` is called before the first wait for a stage,
  /// `afterProducts` when all wgmmas of the item are issued; both may be null.
  PipelineState multiplyWorkTile(const WorkTile &work, PipelineState first,
                                 llvm::function_ref<void()> beforeProducts = {},
                                 llvm::function_ref<void()> afterProducts = {});

  DeviceEmitter &e;
  FusedKernelOpInterface op;
  const WarpgroupGemm &plan;
  const TileProduct &product;
  const TileGemm gathered;
  const KernelPointers &pointers;
  ValueRange maps;
  Value memory;
  Value rank, group; // number of the CTA in the cluster; warpgroup of the thread
  PipelineBarriers ring;

private:
  /// First k-tile of this CTA within the work item, and the number of k-tiles; of type index.
  std::pair<Value, Value> firstAndCount(const WorkTile &work);
  Value firstPoint(const WorkTile &work);
  /// Main loop: calls `body` for every k-tile of the CTA, with the number of the k-tile (i32), the
  /// pipeline state and the carried values.
  llvm::SmallVector<Value>
  forKTiles(const WorkTile &work, PipelineState first, ValueRange carried,
            llvm::function_ref<llvm::SmallVector<Value>(Value, PipelineState, ValueRange)> body);

  // ---- Producer ----
  void produce();
  void issueTensors(const WorkTile &work, PipelineState place, Value point);
  PipelineState copyWorkTile(const WorkTile &work, PipelineState first);
  Gathers gathersOf(const WorkTile &work);
  void gatherKTile(const WorkTile &work, const Gathers &sides, PipelineState place, Value point);
  llvm::SmallVector<Value> fillBehind(PipelineState place, ValueRange now);
  void fillRest(Value pending, Value count);
  PipelineState gatherWorkTile(const WorkTile &work, PipelineState first);

  // ---- Consumers ----
  void consume();
  /// Issues the wgmmas of a k-tile; `sums` holds the accumulators of 64 rows after 64 rows.
  llvm::SmallVector<Value> issueKTile(Value stage, ValueRange sums, Value adds);

  // ---- Epilogue ----
  /// Epilogue subtile: 16 rows of a warp by some columns; row and column in the result, i32.
  struct Subtile {
    Value line, column;
  };
  /// Subtile of this warp in the uppermost rows: 16 rows, and the columns from `at` (i32) on.
  Subtile subtileOf(const WorkTile &work, Value at);
  /// Subtile by number: `across` subtiles side by side, then the subtiles 64 rows below.
  Subtile subtileOf(const WorkTile &work, Value number, int64_t across);
  void whenExists(const WorkTile &work, Subtile part, llvm::function_ref<void()> store);
  Epilogue epilogueOf(const WorkTile &work);
  Epilogue::Prefetched prefetch(const WorkTile &work, Subtile part);
  void store(const WorkTile &work, ValueRange sums, Epilogue::Prefetched ahead);
  void storeSubtile(const WorkTile &work, const Sums &sums, Subtile part,
                    Epilogue::Prefetched ahead);
  void storeInLoop(const WorkTile &work, llvm::ArrayRef<Sums> sums, Epilogue::Prefetched ahead);
  void reduceClusterAndStore(const WorkTile &work, ValueRange sums);
  Sums addClusterPartials(Value place);
};

} // namespace ampc::nvptx
#endif
