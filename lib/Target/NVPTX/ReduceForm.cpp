// kernel.reduce: columns by threads, rows by groups of them, and where there are few of either, by
// blocks; then the sums of the chunks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/NVPTX/Forms.h"
#include "lib/Target/NVPTX/LaneGroup.h"
#include "lib/Target/NVPTX/Reduce/StagedSums.h"
#include "lib/Target/NVPTX/Runs.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Body;
using target::LoopEmitter;

namespace {
/// Sums of result k over a chunk lie in the workspace as [chunks, outer, inner], k by k.
class ReduceWriter {
public:
  explicit ReduceWriter(kernel::ReduceOp op) : op(op), order(op) {}
  void emit(DeviceCode &code);
  int64_t workspaceBytes() const;
  /// Of the launch that adds up chunks.
  int64_t showingWarps() const {
    return order.chunks == 1 ? 0 : LaunchShape::perPoint(order.outer * order.inner).warps();
  }

private:
  using Sums = SmallVector<Value>;
  static constexpr unsigned inner = 2; // the dimension of columns
  static constexpr int64_t ways = 4, rowBlock = ways * LaneGroup::most;
  SmallVector<Type> types() {
    return llvm::map_to_vector(op->getResultTypes(),
                               [](Type type) { return getElementTypeOrSelf(type); });
  }
  /// Terms or sums of neighbouring points fill 16 bytes.
  int64_t mostPoints() {
    int64_t widest = 0;
    for (Type type : types())
      widest = std::max(widest, target::elementBytes(type));
    return 16 / widest;
  }
  /// Of a block.
  int64_t stagedColumns() const { return order.inner % rowBlock == 0 ? rowBlock : order.inner; }
  Type elementOf(unsigned k) { return getElementTypeOrSelf(op->getResult(k)); }
  Sums start(LoopEmitter &e);
  Sums accumulate(LoopEmitter &e, Body &body, ArrayRef<Value> dims, ValueRange sums);
  std::pair<Value, Value> rangeOf(LoopEmitter &e, Value chunk);
  Sums reduceRow(DeviceEmitter &e, Body &body, LaneGroup &group, Value outer, Value from, Value to);
  void store(LoopEmitter &e, const KernelPointers &pointers, Body &body, ArrayRef<Value> place,
             ValueRange sums);
  void storeRun(DeviceEmitter &e, const KernelPointers &pointers, Body &body, ArrayRef<Value> place,
                unsigned k, ArrayRef<Value> sums);
  void storeOne(LoopEmitter &e, const KernelPointers &pointers, Body &body, ArrayRef<Value> place,
                unsigned k, Value sum);
  Value partialBase(LoopEmitter &e, const KernelPointers &pointers, unsigned k);
  Sums finishRow(DeviceEmitter &e, Body &body, LaneGroup &group, Value outer, Value blocked,
                 Value to, Sums first);
  Value blockedEnd(LoopEmitter &e, Value from, Value to);
  void emitColumns(DeviceCode &code);
  void emitStagedColumns(DeviceCode &code);
  void emitRows(DeviceCode &code);
  void emitStagedRows(DeviceCode &code);
  bool isStaged();
  void emitLast(DeviceCode &code);

  kernel::ReduceOp op;
  target::ReduceOrder order;
};
} // namespace

static int64_t alignUp(int64_t bytes) { return llvm::alignTo(bytes, 64); }

int64_t ReduceWriter::workspaceBytes() const {
  int64_t bytes = 0, sums = order.chunks * order.outer * order.inner;
  for (Type type : op->getResultTypes())
    bytes += alignUp(sums * target::elementBytes(getElementTypeOrSelf(type)));
  return order.chunks == 1 ? 0 : bytes;
}
Value ReduceWriter::partialBase(LoopEmitter &e, const KernelPointers &pointers, unsigned k) {
  int64_t bytes = 0, sums = order.chunks * order.outer * order.inner;
  for (unsigned i = 0; i < k; ++i)
    bytes += alignUp(sums * target::elementBytes(elementOf(i)));
  return e.offset(pointers.workspace, bytes);
}

ReduceWriter::Sums ReduceWriter::start(LoopEmitter &e) {
  Sums sums;
  for (unsigned k = 0; k < op->getNumResults(); ++k)
    sums.push_back(target::neutral(e, op.getKind(), elementOf(k)));
  return sums;
}
ReduceWriter::Sums ReduceWriter::accumulate(LoopEmitter &e, Body &body, ArrayRef<Value> dims,
                                            ValueRange sums) {
  Body::Values known;
  Sums next;
  for (auto [sum, term] : llvm::zip(sums, body.yields(dims, known)))
    next.push_back(combine(e, op.getKind(), sum, term));
  return next;
}
/// The last chunks may be empty.
std::pair<Value, Value> ReduceWriter::rangeOf(LoopEmitter &e, Value chunk) {
  if (order.chunks == 1)
    return {e.index(0), e.index(order.reduced)};
  Value from = e.min(e.mul(chunk, order.chunk), e.index(order.reduced));
  return {from, e.min(e.add(from, order.chunk), e.index(order.reduced))};
}

/// `place`: chunk, outer, inner.
void ReduceWriter::storeOne(LoopEmitter &e, const KernelPointers &pointers, Body &body,
                            ArrayRef<Value> place, unsigned k, Value sum) {
  if (order.chunks == 1)
    body.store(k, sum, {place[1], e.index(0), place[2]});
  else
    e.storeScalar(sum, partialBase(e, pointers, k),
                  target::at(e, {order.chunks, order.outer, order.inner}, place));
}
/// Of neighbouring columns.
void ReduceWriter::storeRun(DeviceEmitter &e, const KernelPointers &pointers, Body &body,
                            ArrayRef<Value> place, unsigned k, ArrayRef<Value> sums) {
  if (order.chunks > 1) {
    Value at = target::at(e, {order.chunks, order.outer, order.inner}, place);
    return e.storeRun(sums, e.address(partialBase(e, pointers, k), elementOf(k), at));
  }
  for (auto [i, sum] : llvm::enumerate(sums))
    storeOne(e, pointers, body, {place[0], place[1], e.add(place[2], i)}, k, sum);
}
void ReduceWriter::store(LoopEmitter &e, const KernelPointers &pointers, Body &body,
                         ArrayRef<Value> place, ValueRange sums) {
  for (auto [k, sum] : llvm::enumerate(sums))
    storeOne(e, pointers, body, place, k, sum);
}

/// By a thread, some columns; rows are read several at a time.
void ReduceWriter::emitColumns(DeviceCode &code) {
  constexpr int64_t together = 8;
  Runs runs(op, order.space, inner, order.inner, mostPoints());
  code.describe("columns of threads");
  int64_t points = runs.points;
  unsigned count = op->getNumResults();
  ThreadPerPoint(code).forEachOnDevice(
      {order.chunks, order.outer, order.inner / points},
      [&](DeviceEmitter &e, const KernelPointers &pointers, ArrayRef<Value> place) {
        Body body(e, op, pointers, order.space);
        auto [from, to] = rangeOf(e, place[0]);
        Value column = e.mul(place[2], points);
        Sums sums;
        for (int64_t i = 0; i < points; ++i)
          llvm::append_range(sums, start(e));
        auto addRows = [&](Value row, int64_t rows, ValueRange soFar) {
          Sums next(soFar);
          SmallVector<SmallVector<Sums>> terms;
          for (int64_t r = 0; r < rows; ++r)
            terms.push_back(runs.yields(e, pointers, body, {place[1], e.add(row, r), column}));
          for (const SmallVector<Sums> &ofRow : terms)
            for (auto [k, list] : llvm::enumerate(ofRow))
              for (auto [i, term] : llvm::enumerate(list))
                next[i * count + k] = combine(e, op.getKind(), next[i * count + k], term);
          return next;
        };
        Value whole = e.add(from, e.mul(e.div(e.sub(to, from), together), together));
        sums = e.loop(from, whole, together, sums,
                      [&](Value row, ValueRange v) { return addRows(row, together, v); });
        sums =
            e.loop(whole, to, 1, sums, [&](Value row, ValueRange v) { return addRows(row, 1, v); });
        for (unsigned k = 0; k < count; ++k) {
          Sums run;
          for (int64_t i = 0; i < points; ++i)
            run.push_back(sums[i * count + k]);
          storeRun(e, pointers, body, {place[0], place[1], column}, k, run);
        }
      });
}

/// By a block, few columns of many rows.
void ReduceWriter::emitStagedColumns(DeviceCode &code) {
  int64_t columns = stagedColumns(), blocks = order.inner / columns;
  Runs runs(op, order.space, inner, columns, mostPoints());
  StagedSums staged(op.getKind(), types(), columns, runs.points);
  LaunchShape shape = staged.shape();
  shape.grid[0] = order.chunks * order.outer * blocks;
  code.describe("columns of blocks");
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    SmallVector<Value> place = e.split(e.block(), {order.chunks, order.outer, blocks});
    Value first = e.mul(place[2], columns);
    Body body(e, op, pointers, order.space);
    auto [from, to] = rangeOf(e, place[0]);
    Sums sums = staged.run(e, from, to, [&](Value row, Value column) {
      return runs.yields(e, pointers, body, {place[1], row, e.add(first, column)});
    });
    for (auto [k, sum] : llvm::enumerate(sums)) {
      unsigned result = k;
      Value value = sum;
      e.when(staged.isAdder(e, result), [&] {
        place[2] = e.add(first, staged.column(e, result));
        storeOne(e, pointers, body, place, result, value);
      });
    }
  });
}

// The order of a CPU with vectors of sixteen: four sums a lane, which become one, then what is left
// of whole vectors, then the last terms one by one.
ReduceWriter::Sums ReduceWriter::finishRow(DeviceEmitter &e, Body &body, LaneGroup &group,
                                           Value outer, Value blocked, Value to, Sums first) {
  int64_t width = group.width;
  auto at = [&](Value i) { return SmallVector<Value>{outer, i, e.index(0)}; };
  Value vectors = e.add(blocked, e.mul(e.div(e.sub(to, blocked), width), width));
  first = e.loop(blocked, vectors, width, first, [&](Value i, ValueRange soFar) {
    return accumulate(e, body, at(e.add(i, group.lane())), soFar);
  });
  for (Value &sum : first)
    sum = group.combine(op.getKind(), sum);
  return e.loop(vectors, to, 1, first,
                [&](Value i, ValueRange soFar) { return accumulate(e, body, at(i), soFar); });
}

/// The part of a row in which every lane has four sums.
Value ReduceWriter::blockedEnd(LoopEmitter &e, Value from, Value to) {
  return e.add(from, e.mul(e.div(e.sub(to, from), rowBlock), rowBlock));
}

ReduceWriter::Sums ReduceWriter::reduceRow(DeviceEmitter &e, Body &body, LaneGroup &group,
                                           Value outer, Value from, Value to) {
  int64_t width = group.width;
  unsigned count = op->getNumResults();
  Sums sums;
  for (int64_t way = 0; way < ways; ++way)
    llvm::append_range(sums, start(e));
  Value blocked = blockedEnd(e, from, to);
  sums = e.loop(from, blocked, rowBlock, sums, [&](Value i, ValueRange soFar) {
    Sums next;
    for (int64_t way = 0; way < ways; ++way) {
      Value column = e.add(e.add(i, way * width), group.lane());
      llvm::append_range(
          next, accumulate(e, body, {outer, column, e.index(0)}, soFar.slice(way * count, count)));
    }
    return next;
  });
  Sums first;
  for (unsigned k = 0; k < count; ++k) {
    Value sum = sums[k];
    for (int64_t way = 1; way < ways; ++way)
      sum = combine(e, op.getKind(), sum, sums[way * count + k]);
    first.push_back(sum);
  }
  return finishRow(e, body, group, outer, blocked, to, first);
}

/// Neighbouring groups have neighbouring parts of a row.
void ReduceWriter::emitRows(DeviceCode &code) {
  code.describe("rows of sixteen threads");
  launchGroups(
      code, order.chunks * order.outer, LaneGroup::most,
      [&](DeviceEmitter &e, const KernelPointers &pointers, LaneGroup &group, Value number) {
        SmallVector<Value> at = e.split(number, {order.outer, order.chunks});
        SmallVector<Value> place{at[1], at[0], e.index(0)};
        Body body(e, op, pointers, order.space);
        auto [from, to] = rangeOf(e, place[0]);
        Sums sums = reduceRow(e, body, group, place[1], from, to);
        e.when(target::equal(e, group.lane(), e.index(0)),
               [&] { store(e, pointers, body, place, sums); });
      });
}

/// By a block, one long part of a row: as a matrix of 64 columns, each of which has a sum.
void ReduceWriter::emitStagedRows(DeviceCode &code) {
  Runs runs(op, order.space, /*along=*/1, order.chunks == 1 ? rowBlock : order.chunk, mostPoints());
  StagedSums staged(op.getKind(), types(), rowBlock, runs.points);
  LaunchShape shape = staged.shape();
  shape.grid[0] = order.chunks * order.outer;
  shape.sharedBytes += op->getNumResults() * rowBlock * int64_t(sizeof(double));
  code.describe("parts of blocks");
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    SmallVector<Value> at = e.split(e.block(), {order.outer, order.chunks});
    SmallVector<Value> place{at[1], at[0], e.index(0)};
    Body body(e, op, pointers, order.space);
    auto [from, to] = rangeOf(e, place[0]);
    Value blocked = blockedEnd(e, from, to), begin = from;
    Value rows = e.div(e.sub(blocked, from), rowBlock);
    Sums sums = staged.run(e, e.index(0), rows, [&](Value row, Value column) {
      Value i = e.add(e.add(begin, e.mul(row, rowBlock)), column);
      return runs.yields(e, pointers, body, {place[1], i, e.index(0)});
    });
    auto columnsOf = [&](unsigned k) {
      return e.advance(e.sharedMemory(), staged.bytes() + k * rowBlock * int64_t(sizeof(double)));
    };
    for (auto [k, sum] : llvm::enumerate(sums)) {
      unsigned result = k;
      Value value = sum;
      e.when(staged.isAdder(e, result),
             [&] { e.storeScalar(value, columnsOf(result), staged.column(e, result)); });
    }
    e.syncBlock();
    e.when(e.less32(e.thread(), LaneGroup::most), [&, end = to] {
      LaneGroup group(e, LaneGroup::most, e.i32(0), 1);
      Sums first;
      for (unsigned k = 0; k < op->getNumResults(); ++k) {
        auto ofWay = [&](int64_t way) {
          return e.loadScalar(columnsOf(k), elementOf(k), e.add(group.lane(), way * group.width));
        };
        Value sum = ofWay(0);
        for (int64_t way = 1; way < ways; ++way)
          sum = combine(e, op.getKind(), sum, ofWay(way));
        first.push_back(sum);
      }
      Sums all = finishRow(e, body, group, place[1], blocked, end, first);
      e.when(target::equal(e, group.lane(), e.index(0)),
             [&] { store(e, pointers, body, place, all); });
    });
  });
}

/// Chunk by chunk, in order.
void ReduceWriter::emitLast(DeviceCode &code) {
  ThreadPerPoint(code, /*showsResults=*/true)
      .forEachOnDevice(
          {order.outer, order.inner},
          [&](DeviceEmitter &e, const KernelPointers &pointers, ArrayRef<Value> place) {
            Body body(e, op, pointers, order.space);
            for (unsigned k = 0; k < op->getNumResults(); ++k) {
              Value base = partialBase(e, pointers, k);
              auto part = [&](Value chunk) {
                return e.loadScalar(base, elementOf(k),
                                    target::at(e, {order.chunks, order.outer, order.inner},
                                               {chunk, place[0], place[1]}));
              };
              Value sum = part(e.index(0));
              for (int64_t chunk = 1; chunk < order.chunks; ++chunk)
                sum = combine(e, op.getKind(), sum, part(e.index(chunk)));
              e.stored(k, sum);
              body.store(k, sum, {place[0], e.index(0), place[1]});
            }
          });
}

/// Whether threads that each add up columns or rows of their own would be too few to keep memory
/// busy.
bool ReduceWriter::isStaged() {
  constexpr int64_t enoughThreads = 16384;
  unsigned results = op->getNumResults();
  if (order.inner == 1)
    return order.chunk >= 32 * rowBlock && order.chunks * order.outer < enoughThreads / 8 &&
           StagedSums::fits(rowBlock, results);
  return order.chunk >= 64 && order.chunks * order.outer * order.inner < 4 * enoughThreads &&
         StagedSums::fits(stagedColumns(), results);
}

void ReduceWriter::emit(DeviceCode &code) {
  if (order.inner == 1)
    isStaged() ? emitStagedRows(code) : emitRows(code);
  else
    isStaged() ? emitStagedColumns(code) : emitColumns(code);
  if (order.chunks > 1)
    emitLast(code);
}

static void configureReduce(Operation *operation, const Chip &) {
  auto op = cast<kernel::ReduceOp>(operation);
  op.setParts(target::ReduceOrder::chooseParts(op));
  op.setWorkspaceBytes(ReduceWriter(op).workspaceBytes());
}

void nvptx::addReduceForm(Forms &forms) {
  forms[kernel::ReduceOp::getOperationName()] = {
      [](Operation *op, DeviceCode &code) { ReduceWriter(cast<kernel::ReduceOp>(op)).emit(code); },
      configureReduce,
      [](Operation *op, const Chip &) {
        return ReduceWriter(cast<kernel::ReduceOp>(op)).workspaceBytes();
      },
      [](Operation *op, const Chip &) {
        return ReduceWriter(cast<kernel::ReduceOp>(op)).showingWarps();
      }};
}
