// Sums of columns: sixteen rows per thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Reduce/ReduceKernel.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Body;
using target::order::blockRows;

namespace {
/// Threads of a block that sums columns, numbered (chunk, block of rows, vector of columns): a
/// thread has the 16 rows of a block, for the neighbouring columns of a vector. Example of [256,
/// 64] in f32: 16 blocks of rows x 16 vectors of 4 columns.
struct ColumnThreads {
  static constexpr int64_t most = 256;
  ColumnThreads(const target::ReduceOrder &order, int64_t points)
      : blocks(llvm::divideCeil(order.chunk, blockRows)), runs(order.inner / points),
        tileRuns(std::min(runs, most / blocks)), tiles(llvm::divideCeil(runs, tileRuns)),
        sums(order.chunks * order.outer),
        tileSums(std::min(sums, std::max<int64_t>(1, most / (blocks * tileRuns)))) {}
  int64_t count() const { return tileSums * blocks * tileRuns; }
  int64_t threads() const { return llvm::alignTo(count(), 32); }
  int64_t grid() const { return llvm::divideCeil(sums, tileSums) * tiles; }

  int64_t blocks;          // blocks of rows per chunk
  int64_t runs;            // vectors per row
  int64_t tileRuns, tiles; // vectors per thread block, and thread blocks per row
  int64_t sums, tileSums;  // chunks of all outer indices, in total and per thread block
};
} // namespace

/// Tree over 16 rows, starting at row 16 * block of the chunk. All rows are loaded before the first
/// addition; rows past the end load the last row.
ReduceKernel::Points ReduceKernel::blockOfRows(DeviceEmitter &e, const KernelPointers &pointers,
                                               const PointVectors &runs, Body &body,
                                               ArrayRef<Value> place, Value block) {
  int64_t rows = std::min(blockRows, order.reduced);
  bool isWhole = order.chunks * order.chunk == order.reduced && order.chunk % rows == 0;
  Value first = e.add(e.mul(place[0], order.chunk), e.mul(block, blockRows));
  SmallVector<Points> found;
  for (int64_t i = 0; i < rows; ++i) {
    Value row = e.add(first, i), exists;
    if (!isWhole) {
      exists = e.less(row, e.index(order.reduced));
      row = e.min(row, e.index(order.reduced - 1));
    }
    found.push_back(terms(e, pointers, runs, body, {place[1], row, place[2]}, exists));
  }
  return target::sumTree<Points>(
      rows, [&](int64_t i) { return found[i]; }, [&](Points x, Points y) { return add(e, x, y); });
}

/// A single block of rows: a thread per column vector sums all rows.
void ReduceKernel::emitFewRows(DeviceCode &code) {
  PointVectors runs(op, order.space, inner, order.inner, mostPoints());
  code.describe("columns of threads");
  ThreadPerPoint(code).forEachOnDevice(
      {order.outer, order.inner / runs.points},
      [&](DeviceEmitter &e, const KernelPointers &pointers, ArrayRef<Value> at) {
        Body body(e, op, pointers, order.space);
        SmallVector<Value> place{e.index(0), at[0], e.mul(at[1], runs.points)};
        Points block = blockOfRows(e, pointers, runs, body, place, e.index(0));
        storePoints(e, pointers, body, place, add(e, start(e, runs.points), block));
      });
}

/// Sums of blocks of rows in shared memory: [chunk, block, vector] of `points` columns each.
namespace {
struct BlockSums {
  BlockSums(const ColumnThreads &shape, ArrayRef<Type> types, int64_t points)
      : types(types), points(points) {
    for (Type type : types) {
      offsets.push_back(bytes);
      bytes += llvm::alignTo(shape.count() * points * target::elementBytes(type), 16);
    }
  }
  Value place(DeviceEmitter &e, unsigned k, Value number) const {
    return e.address(e.advance(e.sharedMemory(), offsets[k]), types[k],
                     e.mul(e.position(number), points));
  }
  void store(DeviceEmitter &e, ArrayRef<SmallVector<Value>> sums, Value number) const {
    for (unsigned k = 0; k < types.size(); ++k)
      e.storeVector(llvm::map_to_vector(sums, [&](const SmallVector<Value> &x) { return x[k]; }),
                    place(e, k, number));
  }
  SmallVector<SmallVector<Value>> load(DeviceEmitter &e, Value number) const {
    SmallVector<SmallVector<Value>> sums(points);
    for (unsigned k = 0; k < types.size(); ++k)
      for (auto [i, x] : llvm::enumerate(e.loadVector(place(e, k, number), types[k], points)))
        sums[i].push_back(x);
    return sums;
  }
  ArrayRef<Type> types;
  int64_t points, bytes = 0;
  SmallVector<int64_t> offsets;
};
} // namespace

/// Runs `body` in the first `count` of `threads` threads.
static void forThreads(DeviceEmitter &e, int64_t count, int64_t threads,
                       llvm::function_ref<void()> body) {
  if (count == threads)
    return body();
  e.when(e.isBelow(e.thread(), count), body);
}

/// Runs `body` at the (chunk, outer) pair `sum` and vector `run` of this thread block, if in range.
static void atColumns(DeviceEmitter &e, const ColumnThreads &shape, Value sum, Value run,
                      llvm::function_ref<void(Value sum, Value run)> body) {
  Value tile = e.rem(e.block(), shape.tiles), sums = e.div(e.block(), shape.tiles);
  Value number = e.add(e.mul(sums, shape.tileSums), sum);
  Value column = e.add(e.mul(tile, shape.tileRuns), run);
  if (shape.sums % shape.tileSums == 0 && shape.runs % shape.tileRuns == 0)
    return body(number, column);
  Value exists = target::both(e, e.isBelow(number, shape.sums), e.isBelow(column, shape.runs));
  e.when(exists, [&] { body(number, column); });
}

/// Threads sum blocks of rows; then a thread per vector of columns adds the blocks in order.
void ReduceKernel::emitColumns(DeviceCode &code) {
  PointVectors runs(op, order.space, inner, order.inner, mostPoints());
  int64_t points = runs.points;
  ColumnThreads shape(order, points);
  SmallVector<Type> types;
  for (unsigned k = 0; k < count(); ++k)
    types.push_back(elementOf(k));
  BlockSums blocks(shape, types, points);
  LaunchShape launch;
  launch.grid[0] = shape.grid();
  launch.threads = shape.threads();
  launch.sharedBytes = blocks.bytes;
  code.describe("columns of blocks");
  code.launch(launch, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    Body body(e, op, pointers, order.space);
    auto placeOf = [&](Value sum, Value run) {
      SmallVector<Value> place = e.split(sum, {order.chunks, order.outer});
      place.push_back(e.mul(e.position(run), points));
      return place;
    };
    Value run = e.rem(e.thread(), shape.tileRuns), rest = e.div(e.thread(), shape.tileRuns);
    forThreads(e, shape.count(), shape.threads(), [&] {
      Value block = e.position(e.rem(rest, shape.blocks));
      atColumns(e, shape, e.div(rest, shape.blocks), run, [&](Value sum, Value column) {
        Points found = blockOfRows(e, pointers, runs, body, placeOf(sum, column), block);
        blocks.store(e, found, e.thread());
      });
    });
    e.syncBlock();
    forThreads(e, shape.tileSums * shape.tileRuns, shape.threads(), [&] {
      Value first = e.add(e.mul(rest, shape.blocks * shape.tileRuns), run);
      atColumns(e, shape, rest, run, [&](Value sum, Value column) {
        Points all = start(e, points);
        for (int64_t block = 0; block < shape.blocks; ++block)
          all = add(e, all, blocks.load(e, e.add(first, e.i32(block * shape.tileRuns))));
        storePoints(e, pointers, body, placeOf(sum, column), all);
      });
    });
  });
}
