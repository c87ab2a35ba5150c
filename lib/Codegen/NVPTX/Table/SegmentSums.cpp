// kernel.scatter_add and kernel.segment_sum: segment sums of updates in their order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/LaneGroup.h"
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"
#include "lib/Codegen/NVPTX/Table/GatherScatter.h"
#include "lib/Codegen/NVPTX/Table/SortByKey.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::loadIndex;
using target::LoopEmitter;
using target::storeIndex;
using target::tensorOf;

namespace {
/// A warp per row of the table, which searches 32 indices at a time. A thread adds its own columns,
/// in the order of the updates.
struct ScatterWriter {
  kernel::ScatterAddOp op;
  DeviceEmitter &e;
  const KernelPointers &pointers;
  LaneGroup &group;
  Value row;

  void write();
  void forColumns(llvm::function_ref<void(Value)> body) {
    e.loop(group.lane(), e.index(tensorOf(op.getResult()).getDimSize(1)), group.width, body);
  }
  Value place(Value column) {
    return target::at(e, tensorOf(op.getResult()).getShape(), {row, column});
  }
  void addRow(Value update);
  void search();
};
} // namespace

void ScatterWriter::addRow(Value update) {
  auto updates = tensorOf(op.getUpdates());
  Type acc = tensorOf(op.getResult()).getElementType();
  forColumns([&](Value column) {
    Value x = e.loadScalar(pointers.operands[0], updates.getElementType(),
                           target::at(e, updates.getShape(), {update, column}));
    Value sum = e.loadScalar(pointers.results[0], acc, place(column));
    sum = combine(e, kernel::Combine::sum, sum, target::widen(e, x, acc));
    e.storeScalar(sum, pointers.results[0], place(column));
  });
}

void ScatterWriter::search() {
  int64_t count = tensorOf(op.getUpdates()).getDimSize(0);
  Value last = e.index(count - 1), wanted = e.index(0);
  e.loop(e.index(0), e.index(count), 32, [&](Value first) {
    Value i = e.add(first, group.lane());
    Value exists = target::within(e, i, count);
    Value found = target::equal(e, loadIndex(e, pointers.operands[1], e.min(i, last)), row);
    Value bits = e.position(e.ballot(target::both(e, exists, found)));
    e.when(target::negate(e, target::equal(e, bits, wanted)), [&] {
      e.loop(e.index(0), e.index(32), 1, [&](Value lane) {
        Value bit = arith::ShRUIOp::create(e.b, e.loc, bits, lane);
        bit = arith::AndIOp::create(e.b, e.loc, bit, e.index(1));
        e.when(target::equal(e, bit, e.index(1)), [&] { addRow(e.add(first, lane)); });
      });
    });
  });
}

void ScatterWriter::write() {
  Value zero = e.constant(tensorOf(op.getResult()).getElementType(), 0);
  forColumns([&](Value column) { e.storeScalar(zero, pointers.results[0], place(column)); });
  if (tensorOf(op.getUpdates()).getDimSize(0) == 0)
    return;
  if (auto padding = op.getPadding())
    e.when(target::negate(e, target::equal(e, row, e.index(*padding))), [&] { search(); });
  else
    search();
}

/// Scatter-add by search, for few updates: every row of the table searches for its updates.
static void emitSearch(kernel::ScatterAddOp op, DeviceCode &code) {
  code.describe("every row searches for updates");
  launchGroups(
      code, tensorOf(op.getResult()).getDimSize(0), 32,
      [&](DeviceEmitter &e, const KernelPointers &pointers, LaneGroup &group, Value number) {
        ScatterWriter{op, e, pointers, group, e.position(number)}.write();
      });
}

// ---- Segment sums in sorted order ----

/// Row p of the result is the sum of updates order[starts[p]] to order[starts[p + 1] - 1], one
/// after another; a thread has some neighbouring columns.
static void
emitSegmentSums(DeviceCode &code, Value updates, int64_t firstColumn, Value result,
                llvm::function_ref<std::pair<Value, Value>(DeviceEmitter &, const KernelPointers &)>
                    orderAndStarts) {
  constexpr int64_t together = 4;
  auto in = tensorOf(updates), sums = tensorOf(result);
  Type element = in.getElementType(), acc = sums.getElementType();
  int64_t width = sums.getDimSize(1);
  // Common divisor of the columns of every vector, so that loads are aligned.
  int64_t step = std::gcd(std::gcd(width, in.getDimSize(1)), firstColumn);
  int64_t points = columnsPerThread(acc, step);
  ThreadPerPoint(code).forEachOnDevice(
      {sums.getDimSize(0), width / points},
      [&](DeviceEmitter &e, const KernelPointers &pointers, ArrayRef<Value> p) {
        auto [order, starts] = orderAndStarts(e, pointers);
        Value column = e.mul(p[1], points), from = loadIndex(e, starts, p[0]),
              to = e.max(loadIndex(e, starts, e.add(p[0], 1)), from), places = order;
        auto addRows = [&](Value i, int64_t rows, ValueRange soFar) {
          SmallVector<Value> next(soFar);
          SmallVector<SmallVector<Value>> read;
          for (int64_t r = 0; r < rows; ++r) {
            Value row = loadIndex(e, places, e.add(i, r));
            Value place = target::at(e, in.getShape(), {row, e.add(column, firstColumn)});
            read.push_back(
                e.loadVector(e.address(pointers.operands[0], element, place), element, points));
          }
          for (ArrayRef<Value> run : read)
            for (auto [sum, x] : llvm::zip(next, run))
              sum = combine(e, kernel::Combine::sum, sum, target::widen(e, x, acc));
          return next;
        };
        SmallVector<Value> total(points, e.constant(acc, 0));
        Value whole = e.add(from, e.mul(e.div(e.sub(to, from), together), together));
        total = e.loop(from, whole, together, total,
                       [&](Value i, ValueRange v) { return addRows(i, together, v); });
        total =
            e.loop(whole, to, 1, total, [&](Value i, ValueRange v) { return addRows(i, 1, v); });
        Value place = target::at(e, sums.getShape(), {p[0], column});
        e.storeVector(total, e.address(pointers.results[0], acc, place));
      });
}

/// Scatter-add by sorting: the order of the updates, then the start of each table row in that
/// order. Workspace: [order][starts][sort].
static RadixSort sortOf(kernel::ScatterAddOp op) {
  std::optional<int64_t> padding;
  if (auto given = op.getPadding())
    padding = *given;
  return RadixSort(tensorOf(op.getIndex()).getDimSize(0), tensorOf(op.getResult()).getDimSize(0),
                   padding);
}
static bool isSearched(kernel::ScatterAddOp op) {
  constexpr int64_t few = 256;
  return tensorOf(op.getIndex()).getDimSize(0) <= few ||
         tensorOf(op.getResult()).getDimSize(0) == 0;
}
static int64_t orderBytes(kernel::ScatterAddOp op) {
  return llvm::alignTo(tensorOf(op.getIndex()).getDimSize(0) * int64_t(sizeof(int32_t)), 64);
}
static int64_t startBytes(kernel::ScatterAddOp op) {
  return llvm::alignTo((tensorOf(op.getResult()).getDimSize(0) + 1) * int64_t(sizeof(int32_t)), 64);
}
static int64_t scatterWorkspace(Operation *operation, const Chip &) {
  auto op = cast<kernel::ScatterAddOp>(operation);
  return isSearched(op) ? 0 : orderBytes(op) + startBytes(op) + sortOf(op).workspaceBytes();
}

/// First position of the order whose row is at least `row`, by binary search.
static Value lowerBound(DeviceEmitter &e, const RadixSort &sort, Value index, Value order,
                        Value row) {
  int64_t count = sort.blocks.count;
  SmallVector<Value> bounds{e.index(0), e.index(count)};
  for (int64_t step = 0; step <= int64_t(llvm::Log2_64(count)); ++step) {
    Value middle = e.div(e.add(bounds[0], bounds[1]), 2);
    Value place = loadIndex(e, order, e.min(middle, e.index(count - 1)));
    Value isBelow =
        target::both(e, e.less(bounds[0], bounds[1]), e.less(sort.keyOf(e, index, place), row));
    Value isOpen = e.less(bounds[0], bounds[1]);
    bounds[1] = target::select(e, isBelow, bounds[1], target::select(e, isOpen, middle, bounds[1]));
    bounds[0] = target::select(e, isBelow, e.add(middle, 1), bounds[0]);
  }
  return bounds[0];
}

static void emitScatterAdd(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::ScatterAddOp>(operation);
  if (isSearched(op))
    return emitSearch(op, code);
  code.describe("sorted updates");
  RadixSort sort = sortOf(op);
  auto memory = [&](DeviceEmitter &e, const KernelPointers &pointers) -> RadixSort::Memory {
    return {pointers.operands[1], pointers.workspace,
            e.offset(pointers.workspace, orderBytes(op) + startBytes(op))};
  };
  auto starts = [&](DeviceEmitter &e, const KernelPointers &pointers) {
    return e.offset(pointers.workspace, orderBytes(op));
  };
  sort.emit(code, memory);
  ThreadPerPoint(code).forEachOnDevice(
      {tensorOf(op.getResult()).getDimSize(0) + 1},
      [&](DeviceEmitter &e, const KernelPointers &pointers, ArrayRef<Value> p) {
        Value start = lowerBound(e, sort, pointers.operands[1], pointers.workspace, p[0]);
        storeIndex(e, start, starts(e, pointers), p[0]);
      });
  emitSegmentSums(code, op.getUpdates(), 0, op.getResult(),
                  [&](DeviceEmitter &e, const KernelPointers &pointers) {
                    return std::pair(pointers.workspace, starts(e, pointers));
                  });
}

static void emitSegmentSum(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::SegmentSumOp>(operation);
  code.describe("segments");
  emitSegmentSums(code, op.getUpdates(), op.getFrom(), op.getResult(),
                  [&](DeviceEmitter &, const KernelPointers &pointers) {
                    return std::pair(pointers.operands[1], pointers.operands[2]);
                  });
}

template <typename Op, int64_t (*bytes)(Operation *, const Chip &)>
static LogicalResult setWorkspace(Operation *op, const Chip &chip) {
  cast<Op>(op).setWorkspaceBytes(bytes(op, chip));
  return success();
}

void nvptx::addRowLowering(LoweringTable &table) {
  table[kernel::ScatterAddOp::getOperationName()] = {
      emitScatterAdd, setWorkspace<kernel::ScatterAddOp, scatterWorkspace>, scatterWorkspace};
  table[kernel::SegmentSumOp::getOperationName()] = {emitSegmentSum};
  table[kernel::SortByKeyOp::getOperationName()] = {
      emitSortByKey, setWorkspace<kernel::SortByKeyOp, groupWorkspace>, groupWorkspace};
}
