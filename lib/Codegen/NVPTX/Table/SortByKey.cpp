// kernel.sort_by_key: sort by row, then mark the boundaries of segments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Table/SortByKey.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::loadIndex;
using target::storeIndex;
using target::tensorOf;

namespace {
/// Emitter of kernel.sort_by_key. Workspace: [sort][blocks of two counts]: segments that start in a
/// block of the sorted order, and positions with a valid row.
class GroupWriter {
public:
  explicit GroupWriter(kernel::SortByKeyOp op)
      : sort(tensorOf(op.getIndex()).getDimSize(0), op.getOf()), blocks(sort.blocks),
        rows(op.getOf()), distinct(tensorOf(op.getRows()).getDimSize(0)) {}
  int64_t workspaceBytes() const {
    return countsOffset() + 2 * blocks.blocks * int64_t(sizeof(int32_t));
  }
  void emit(DeviceCode &code) const;

private:
  int64_t countsOffset() const { return llvm::alignTo(sort.workspaceBytes(), 64); }
  Value counts(DeviceEmitter &e, const KernelPointers &pointers) const {
    return e.offset(pointers.workspace, countsOffset());
  }
  using Step = llvm::function_ref<SmallVector<Value>(Value place, Value row, Value first,
                                                     Value named, ValueRange carried)>;
  SmallVector<Value> walk(DeviceEmitter &e, const KernelPointers &pointers, ValueRange carried,
                          Step step) const;
  SmallVector<Value> countOfBlock(DeviceEmitter &e, const KernelPointers &pointers) const;
  void storeCounts(DeviceEmitter &e, const KernelPointers &pointers) const;
  void write(DeviceEmitter &e, const KernelPointers &pointers) const;
  void writeEnd(DeviceEmitter &e, const KernelPointers &pointers, Value groups, Value named) const;

  RadixSort sort;
  const IndexBlocks &blocks;
  int64_t rows, distinct;
};
} // namespace

/// Calls `step` with a position of the sorted order, the row at that position, and two ballots of
/// the warp: positions that start a segment, and positions with a valid row.
SmallVector<Value> GroupWriter::walk(DeviceEmitter &e, const KernelPointers &pointers,
                                     ValueRange carried, Step step) const {
  Value index = pointers.operands[0], order = pointers.results[1];
  auto rowAt = [&](Value place) { return sort.keyOf(e, index, loadIndex(e, order, place)); };
  return blocks.walk(e, carried, [&](Value place, Value exists, ValueRange soFar) {
    Value row = rowAt(place), before = rowAt(e.max(e.sub(place, e.index(1)), e.index(0)));
    Value isNamed = target::both(e, exists, e.less(row, e.index(rows)));
    Value isStart = target::equal(e, place, e.index(0));
    Value isOther = target::negate(e, target::equal(e, row, before));
    Value starts = target::select(e, isStart, e.constant(e.b.getI1Type(), 1), isOther);
    return step(place, row, e.ballot(target::both(e, isNamed, starts)), e.ballot(isNamed), soFar);
  });
}

/// Counts of segment starts and of valid positions: first in the preceding warps of the block, then
/// in the whole block.
SmallVector<Value> GroupWriter::countOfBlock(DeviceEmitter &e,
                                             const KernelPointers &pointers) const {
  Value memory = e.sharedMemory(), own = e.mul(blocks.warp(e), 2);
  SmallVector<Value> counts =
      walk(e, pointers, {e.i32(0), e.i32(0)},
           [&](Value, Value, Value first, Value named, ValueRange v) -> SmallVector<Value> {
             return {e.add(v[0], countBits(e, first)), e.add(v[1], countBits(e, named))};
           });
  e.when(target::equal(e, e.bitAnd(e.thread(), 31), e.i32(0)), [&] {
    for (int64_t which : {0, 1})
      e.storeScalar(counts[which], memory, e.position(e.add(own, e.i32(which))));
  });
  e.syncBlock();
  SmallVector<Value> sums(4, e.i32(0));
  for (int64_t warp = 0; warp < IndexBlocks::warps; ++warp)
    for (int64_t which : {0, 1}) {
      Value count = e.loadScalar(memory, e.b.getI32Type(), e.index(2 * warp + which));
      Value isBehind = e.isBelow(blocks.warp(e), warp + 1);
      sums[which] = e.add(sums[which], target::select(e, isBehind, e.i32(0), count));
      sums[2 + which] = e.add(sums[2 + which], count);
    }
  return sums;
}

void GroupWriter::storeCounts(DeviceEmitter &e, const KernelPointers &pointers) const {
  SmallVector<Value> sums = countOfBlock(e, pointers);
  e.when(target::equal(e, e.thread(), e.i32(0)), [&] {
    for (int64_t which : {0, 1})
      e.storeScalar(sums[2 + which], counts(e, pointers),
                    e.position(e.add(e.mul(e.block(), 2), e.i32(which))));
  });
}

/// Fills the unused ends of the results: rows with -1, starts with the number of valid positions.
void GroupWriter::writeEnd(DeviceEmitter &e, const KernelPointers &pointers, Value groups,
                           Value named) const {
  int64_t step = blocks.blocks * IndexBlocks::threads;
  Value first = e.add(e.position(groups), e.position(e.globalThread(IndexBlocks::threads)));
  e.loop(first, e.index(distinct + 1), step, [&](Value k) {
    storeIndex(e, e.position(named), pointers.results[2], k);
    e.when(e.less(k, e.index(distinct)),
           [&] { storeIndex(e, e.index(-1), pointers.results[0], k); });
  });
}

void GroupWriter::write(DeviceEmitter &e, const KernelPointers &pointers) const {
  SmallVector<Value> own = countOfBlock(e, pointers);
  Value groups = own[2], named = own[3], number = own[0];
  if (blocks.blocks > 1) {
    Value from = counts(e, pointers);
    Type i32 = e.b.getI32Type();
    SmallVector<Value> sums =
        e.loop(e.index(0), e.index(blocks.blocks), 1, {e.i32(0), e.i32(0), number},
               [&](Value block, ValueRange soFar) -> SmallVector<Value> {
                 Value first = e.loadScalar(from, i32, e.mul(block, 2));
                 Value isBefore = e.less(block, e.position(e.block()));
                 return {e.add(soFar[0], first),
                         e.add(soFar[1], e.loadScalar(from, i32, e.add(e.mul(block, 2), 1))),
                         e.add(soFar[2], target::select(e, isBefore, first, e.i32(0)))};
               });
    groups = sums[0];
    named = sums[1];
    number = sums[2];
  }
  writeEnd(e, pointers, groups, named);
  walk(e, pointers, number,
       [&](Value place, Value row, Value first, Value, ValueRange next) -> SmallVector<Value> {
         Value front = threadsBefore(e), bit = e.add(front, e.i32(1));
         Value k = e.position(e.add(next[0], countBits(e, target::both(e, first, front))));
         Value isFirst = target::equal(e, target::both(e, first, bit), bit);
         e.when(isFirst, [&] {
           storeIndex(e, row, pointers.results[0], k);
           storeIndex(e, place, pointers.results[2], k);
         });
         return {e.add(next[0], countBits(e, first))};
       });
}

void GroupWriter::emit(DeviceCode &code) const {
  code.describe("sorted places");
  sort.emit(code, [](DeviceEmitter &, const KernelPointers &pointers) -> RadixSort::Memory {
    return {pointers.operands[0], pointers.results[1], pointers.workspace};
  });
  LaunchShape shape = blocks.shape(2 * IndexBlocks::warps * int64_t(sizeof(int32_t)));
  if (blocks.blocks > 1)
    code.launch(
        shape, [&](DeviceEmitter &e, const KernelPointers &pointers) { storeCounts(e, pointers); });
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) { write(e, pointers); });
}

void nvptx::emitSortByKey(Operation *op, DeviceCode &code) {
  GroupWriter(cast<kernel::SortByKeyOp>(op)).emit(code);
}
int64_t nvptx::groupWorkspace(Operation *op, const Chip &) {
  return GroupWriter(cast<kernel::SortByKeyOp>(op)).workspaceBytes();
}
