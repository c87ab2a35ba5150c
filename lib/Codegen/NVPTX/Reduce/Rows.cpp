// Sums of rows: short rows by groups of sixteen threads, long rows by blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/LaneGroup.h"
#include "lib/Codegen/NVPTX/Reduce/ReduceKernel.h"
#include <numeric>

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Body;
using target::order::rowWidth;

PointVectors ReduceKernel::rowRuns() {
  return PointVectors(op, order.space, /*along=*/1, std::gcd(order.reduced, rowWidth),
                      mostPoints());
}

/// Sums of a thread over a chunk of a row, viewed as a matrix [chunk / width, width]: vectors of
/// points, `stride` columns apart, the first at lane * points.
SmallVector<ReduceKernel::Points> ReduceKernel::sumRuns(DeviceEmitter &e,
                                                        const KernelPointers &pointers,
                                                        const PointVectors &runs, Body &body,
                                                        ArrayRef<Value> place, Value lane,
                                                        int64_t stride, int64_t width) {
  int64_t points = runs.points, lists = width / stride;
  Value from = e.mul(place[0], order.chunk);
  Value to = e.min(e.add(from, order.chunk), e.index(order.reduced));
  Value column = e.add(from, e.mul(lane, points));
  SmallVector<Points> none(lists, start(e, points));
  auto termsAt = [&](Value row, int64_t list, bool isWhole) {
    Value at = e.add(e.add(column, row), list * stride), exists;
    if (!isWhole) {
      exists = e.less(at, to);
      at = e.min(at, e.index(order.reduced - points));
    }
    return terms(e, pointers, runs, body, {place[1], at, e.index(0)}, exists);
  };
  auto addRows = [&](Value row, ValueRange soFar, int64_t rows, bool isWhole = true) {
    SmallVector<Points> sums = listsOf(soFar, points), found;
    for (int64_t i = 0; i < rows * lists; ++i)
      found.push_back(termsAt(e.add(row, i / lists * width), i % lists, isWhole));
    for (auto [i, next] : llvm::enumerate(found))
      sums[i % lists] = add(e, sums[i % lists], next);
    return flat(sums);
  };
  Value length = e.sub(to, from), whole = e.mul(e.div(length, width), width);
  int64_t together = lists > 1 ? 1 : 4; // loads in flight per thread
  Value groups = e.mul(e.div(length, together * width), together * width);
  Sums sums = e.loop(e.index(0), groups, together * width, flat(none),
                     [&](Value row, ValueRange soFar) { return addRows(row, soFar, together); });
  sums = e.loop(groups, whole, width, sums,
                [&](Value row, ValueRange soFar) { return addRows(row, soFar, 1); });
  if (order.reduced % width != 0)
    sums = e.loop(whole, length, width, sums, [&](Value row, ValueRange soFar) {
      return addRows(row, soFar, 1, /*isWhole=*/false);
    });
  return listsOf(sums, points);
}

/// Tree over the threads: `addLanes` reduces a number of each thread.
ReduceKernel::Sums ReduceKernel::addLanes(DeviceEmitter &e, Points sums,
                                          llvm::function_ref<Value(Value)> addLanes) {
  for (Sums &point : sums)
    for (Value &sum : point)
      sum = addLanes(sum);
  return target::sumTree<Sums>(
      sums.size(), [&](int64_t i) { return sums[i]; },
      [&](Sums x, Sums y) { return addSums(e, x, y); });
}

/// Neighbouring lane groups have neighbouring chunks of a row.
void ReduceKernel::emitRows(DeviceCode &code) {
  PointVectors runs = rowRuns();
  int64_t stride = LaneGroup::most * runs.points, width = widthOf(stride);
  code.describe("rows of sixteen threads");
  launchGroups(
      code, order.chunks * order.outer, LaneGroup::most,
      [&](DeviceEmitter &e, const KernelPointers &pointers, LaneGroup &group, Value number) {
        SmallVector<Value> at = e.split(number, {order.outer, order.chunks});
        SmallVector<Value> place{at[1], at[0], e.index(0)};
        Body body(e, op, pointers, order.space);
        auto lists = sumRuns(e, pointers, runs, body, place, group.lane(), stride, width);
        Points all = target::sumTree<Points>(
            lists.size(), [&](int64_t i) { return lists[i]; },
            [&](Points x, Points y) { return add(e, x, y); });
        Sums sums = addLanes(e, all, [&](Value x) { return group.combine(op.getKind(), x); });
        e.when(target::equal(e, group.lane(), e.index(0)), [&] {
          for (auto [k, sum] : llvm::enumerate(sums))
            storeOne(e, pointers, body, place, k, sum);
        });
      });
}

/// A block per chunk of a row: each thread has a vector of the 512 columns, and the first warp adds
/// the columns' sums.
void ReduceKernel::emitLongRows(DeviceCode &code) {
  PointVectors runs = rowRuns();
  int64_t points = runs.points;
  LaunchShape shape;
  shape.threads = rowWidth / points;
  shape.grid[0] = order.chunks * order.outer;
  SmallVector<int64_t> offsets;
  for (unsigned k = 0; k < count(); ++k) {
    offsets.push_back(shape.sharedBytes);
    shape.sharedBytes += rowWidth * target::elementBytes(elementOf(k));
  }
  code.describe("rows of blocks");
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    SmallVector<Value> at = e.split(e.block(), {order.outer, order.chunks});
    SmallVector<Value> place{at[1], at[0], e.index(0)};
    Body body(e, op, pointers, order.space);
    Value thread = e.position(e.thread());
    Points own = sumRuns(e, pointers, runs, body, place, thread, rowWidth, rowWidth).front();
    auto shared = [&](unsigned k, Value number) {
      return e.address(e.advance(e.sharedMemory(), offsets[k]), elementOf(k),
                       e.mul(number, points));
    };
    for (unsigned k = 0; k < count(); ++k)
      e.storeVector(llvm::map_to_vector(own, [&](const Sums &point) { return point[k]; }),
                    shared(k, thread));
    e.syncBlock();
    e.when(e.isBelow(e.thread(), 32), [&] {
      LaneGroup warp(e, 32, e.i32(0), 1);
      auto ofWarp = [&](int64_t number) {
        Points found(points, Sums(count()));
        for (unsigned k = 0; k < count(); ++k)
          for (auto [i, x] : llvm::enumerate(
                   e.loadVector(shared(k, e.add(warp.lane(), number * 32)), elementOf(k), points)))
            found[i][k] = x;
        return found;
      };
      Points all = target::sumTree<Points>(shape.threads / 32, ofWarp,
                                           [&](Points x, Points y) { return add(e, x, y); });
      Sums sums = addLanes(e, all, [&](Value x) { return warp.combine(op.getKind(), x); });
      e.when(target::equal(e, e.thread(), e.i32(0)), [&] {
        for (auto [k, sum] : llvm::enumerate(sums))
          storeOne(e, pointers, body, place, k, sum);
      });
    });
  });
}
