// Stable radix sort of the positions of an index tensor by row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Table/RadixSort.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::loadIndex;
using target::storeIndex;

// At most 128 blocks, since every block adds the counts of all blocks.
IndexBlocks::IndexBlocks(int64_t count) : count(count) {
  constexpr int64_t mostBlocks = 128, least = 8 * threads;
  perBlock = std::max(least, int64_t(llvm::alignTo(llvm::divideCeil(count, mostBlocks), threads)));
  blocks = llvm::divideCeil(count, perBlock);
}
LaunchShape IndexBlocks::shape(int64_t sharedBytes) const {
  LaunchShape shape;
  shape.grid[0] = blocks;
  shape.threads = threads;
  shape.sharedBytes = sharedBytes;
  return shape;
}
SmallVector<Value> IndexBlocks::walk(DeviceEmitter &e, ValueRange carried, Body body) const {
  int64_t perWarp = perBlock / warps;
  Value start = e.add(e.mul(e.block(), perBlock), e.mul(warp(e), perWarp));
  Value first = e.position(e.add(start, e.bitAnd(e.thread(), 31)));
  return e.loop(e.index(0), e.index(perWarp), 32, carried, [&](Value offset, ValueRange soFar) {
    Value place = e.add(first, offset);
    return body(e.min(place, e.index(count - 1)), e.less(place, e.index(count)), soFar);
  });
}

Value nvptx::countBits(DeviceEmitter &e, Value bits) {
  return math::CtPopOp::create(e.b, e.loc, bits);
}
Value nvptx::threadsBefore(DeviceEmitter &e) {
  Value bit = arith::ShLIOp::create(e.b, e.loc, e.i32(1), e.bitAnd(e.thread(), 31));
  return e.sub(bit, e.i32(1));
}

int64_t RadixSort::workspaceBytes() const {
  int64_t counts = blocks.blocks == 1 ? 0 : blocks.blocks * digits;
  return (llvm::alignTo(blocks.count, 16) + counts) * int64_t(sizeof(int32_t));
}

Value RadixSort::keyOf(DeviceEmitter &e, Value index, Value place) const {
  Value row = loadIndex(e, index, place), isRow = target::within(e, row, rows);
  if (padding)
    isRow = target::both(e, isRow, target::negate(e, target::equal(e, row, e.index(*padding))));
  return target::select(e, isRow, row, e.index(rows));
}

/// Passes alternate between two buffers, such that the last pass writes the order.
RadixSort::Pass RadixSort::passOf(DeviceEmitter &e, const Memory &memory, int64_t number) const {
  bool isOrder = (passes() - number) % 2;
  Pass pass;
  pass.index = memory.index;
  pass.to = isOrder ? memory.order : memory.workspace;
  if (number > 0)
    pass.from = isOrder ? memory.workspace : memory.order;
  if (blocks.blocks > 1)
    pass.counts =
        e.offset(memory.workspace, llvm::alignTo(blocks.count, 16) * int64_t(sizeof(int32_t)));
  pass.shift = number * digitBits;
  return pass;
}

/// Address in shared memory of the count of a digit among a warp's positions: [warps][digits] of
/// i32.
Value RadixSort::counter(DeviceEmitter &e, Value warp, Value digit) const {
  Value number = e.add(e.mul(warp, digits), digit);
  return e.advance(e.sharedMemory(), e.mul(number, sizeof(int32_t)));
}

/// Calls `body` with a position, whether the position exists, the address of the count of the
/// position's digit, and the number of preceding threads of the warp with the same digit.
/// Afterwards the first of the threads with equal digits adds the number of all such threads to the
/// count.
void RadixSort::walkDigits(DeviceEmitter &e, const Pass &pass,
                           llvm::function_ref<void(Value, Value, Value, Value)> body) const {
  Value front = threadsBefore(e);
  blocks.walk(e, {}, [&](Value i, Value exists, ValueRange) -> SmallVector<Value> {
    Value place = pass.from ? loadIndex(e, pass.from, i) : i;
    Value key = e.number(keyOf(e, pass.index, place));
    Value high = arith::ShRUIOp::create(e.b, e.loc, key, e.i32(pass.shift));
    Value digit = e.bitAnd(high, digits - 1), alike = e.ballot(exists);
    for (int64_t bit = 0; bit < digitBits; ++bit) {
      Value isSet = target::equal(e, e.bitAnd(digit, int64_t(1) << bit), e.i32(int64_t(1) << bit));
      Value with = e.ballot(isSet);
      alike = target::both(e, alike, target::select(e, isSet, with, e.bitXor(with, e.i32(-1))));
    }
    Value own = counter(e, blocks.warp(e), digit);
    Value before = countBits(e, target::both(e, alike, front));
    body(place, exists, own, before);
    e.syncWarp(e.i32(-1));
    Value isFirst = target::both(e, exists, target::equal(e, before, e.i32(0)));
    e.when(isFirst, [&] {
      Value count = e.loadScalar(own, e.b.getI32Type(), e.index(0));
      e.storeScalar(e.add(count, countBits(e, alike)), own, e.index(0));
    });
    e.syncWarp(e.i32(-1));
    return {};
  });
}

void RadixSort::countDigits(DeviceEmitter &e, const Pass &pass) const {
  for (int64_t warp = 0; warp < IndexBlocks::warps; ++warp)
    e.storeScalar(e.i32(0), counter(e, e.i32(warp), e.thread()), e.index(0));
  e.syncBlock();
  walkDigits(e, pass, [](Value, Value, Value, Value) {});
  e.syncBlock();
}

/// Sum over the warps of the count of digit thread().
Value RadixSort::sumOfWarps(DeviceEmitter &e) const {
  Value sum = e.i32(0);
  for (int64_t warp = 0; warp < IndexBlocks::warps; ++warp)
    sum =
        e.add(sum, e.loadScalar(counter(e, e.i32(warp), e.thread()), e.b.getI32Type(), e.index(0)));
  return sum;
}

/// Exclusive prefix sum: each count becomes the output position of the warp's next element with
/// that digit: after all smaller digits, and after equal digits of preceding blocks and warps.
void RadixSort::startDigits(DeviceEmitter &e, const Pass &pass) const {
  Type i32 = e.b.getI32Type();
  Value all = sumOfWarps(e), before = e.i32(0), digit = e.position(e.thread());
  if (pass.counts) {
    SmallVector<Value> sums =
        e.loop(e.index(0), e.index(blocks.blocks), 1, {e.i32(0), e.i32(0)},
               [&](Value block, ValueRange soFar) -> SmallVector<Value> {
                 Value count = e.loadScalar(pass.counts, i32, e.add(e.mul(block, digits), digit));
                 Value isBefore = e.less(block, e.position(e.block()));
                 return {e.add(soFar[0], count),
                         e.add(soFar[1], target::select(e, isBefore, count, e.i32(0)))};
               });
    all = sums[0];
    before = sums[1];
  }
  // Prefix sum over the smaller digits: within a warp, then over the warps.
  Value lane = e.bitAnd(e.thread(), 31), upTo = all;
  for (int64_t distance = 1; distance < 32; distance *= 2) {
    Value other = e.shuffle(upTo, e.i32(-1), e.sub(lane, e.i32(distance)), 32);
    upTo = e.add(upTo, target::select(e, e.isBelow(lane, distance), e.i32(0), other));
  }
  Value sums = e.advance(e.sharedMemory(), IndexBlocks::warps * digits * int64_t(sizeof(int32_t)));
  e.when(target::equal(e, lane, e.i32(31)),
         [&] { e.storeScalar(upTo, sums, e.position(blocks.warp(e))); });
  e.syncBlock();
  Value next = e.add(e.sub(upTo, all), before);
  for (int64_t warp = 0; warp + 1 < IndexBlocks::warps; ++warp) {
    Value sum = e.loadScalar(sums, i32, e.index(warp));
    Value isBehind = target::negate(e, e.isBelow(blocks.warp(e), warp + 1));
    next = e.add(next, target::select(e, isBehind, sum, e.i32(0)));
  }
  for (int64_t warp = 0; warp < IndexBlocks::warps; ++warp) {
    Value own = counter(e, e.i32(warp), e.thread()), count = e.loadScalar(own, i32, e.index(0));
    e.storeScalar(next, own, e.index(0));
    next = e.add(next, count);
  }
  e.syncBlock();
}

void RadixSort::move(DeviceEmitter &e, const Pass &pass) const {
  walkDigits(e, pass, [&](Value place, Value exists, Value own, Value before) {
    e.when(exists, [&] {
      Value start = e.loadScalar(own, e.b.getI32Type(), e.index(0));
      storeIndex(e, place, pass.to, e.position(e.add(start, before)));
    });
  });
}

void RadixSort::emit(DeviceCode &code, MemoryOf memory) const {
  LaunchShape shape =
      blocks.shape((IndexBlocks::warps * digits + IndexBlocks::warps) * int64_t(sizeof(int32_t)));
  for (int64_t number = 0; number < passes(); ++number) {
    if (blocks.blocks > 1)
      code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
        Pass pass = passOf(e, memory(e, pointers), number);
        countDigits(e, pass);
        Value place = e.add(e.mul(e.block(), digits), e.thread());
        e.storeScalar(sumOfWarps(e), pass.counts, e.position(place));
      });
    code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
      Pass pass = passOf(e, memory(e, pointers), number);
      countDigits(e, pass);
      startDigits(e, pass);
      move(e, pass);
    });
  }
}
