// Gather, scatter_add and sparse gradients: rows of a table by index.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Data/FusedReduction.h"
#include "lib/Codegen/CPU/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Tasks are blocks of the matrix' rows.
static KernelEmission planRows(Value matrix) {
  KernelEmission emission;
  emission.tasks = tasksOfRows(tensorOf(matrix).getDimSize(0), tensorOf(matrix).getDimSize(1));
  return emission;
}

/// Element `i` of an i32 index, as a position.
static Value loadIndex(KernelEmitter &e, Value base, Value i) {
  return e.asIndex(e.loadScalar(base, e.b.getI32Type(), i));
}

/// Prefetch distance in rows, and cache lines per row.
constexpr int64_t rowsAhead = 16, linesAhead = 4;

namespace {
/// A table [entries, width], and the i32 row numbers that select its rows. Example: embeddings.
struct IndexedTable {
  Value table;
  RankedTensorType type;
  Value index;
};
} // namespace

/// Software prefetch: rows of a large table miss all caches in an order no hardware prefetcher
/// follows. Prefetches the table row of `index[row + rowsAhead]`, columns [column, column + width).
static void prefetchRow(KernelEmitter &e, const IndexedTable &from, int64_t column, int64_t width,
                        Value row, int64_t rows) {
  auto [table, type, index] = from;
  Type element = type.getElementType();
  int64_t line = 64 * 8 / element.getIntOrFloatBitWidth();
  Value later = e.min(e.add(row, rowsAhead), e.index(rows - 1));
  Value first = e.add(e.mul(loadIndex(e, index, later), type.getDimSize(1)), column);
  for (int64_t j = 0; j < std::min(width, linesAhead * line); j += line)
    e.prefetch(table, element, e.add(first, j));
}

/// Calls `body(row, number)` with the rows of the tasks and the row's number in the table,
/// `index[row]`. The table row of a later row is prefetched.
static void forIndexedRows(KernelEmitter &e, Value begin, Value end, RankedTensorType type,
                           const IndexedTable &table, llvm::function_ref<void(Value, Value)> body) {
  int64_t rows = type.getDimSize(0), width = type.getDimSize(1);
  forRowsOfTasks(e, begin, end, rows, width, [&](Value row) {
    prefetchRow(e, table, 0, width, row, rows);
    body(row, loadIndex(e, table.index, row));
  });
}

/// sums[to] += updates[from].
static void addRow(KernelEmitter &e, Value updates, Value sums, const KernelPointers &pointers,
                   Value to, Value from, int64_t column = 0) {
  Type acc = tensorOf(sums).getElementType(), in = tensorOf(updates).getElementType();
  int64_t width = tensorOf(sums).getDimSize(1), lanes = e.tier.lanes(acc.getIntOrFloatBitWidth());
  Value first = e.add(e.mul(from, tensorOf(updates).getDimSize(1)), column),
        target = e.mul(to, width);
  forVectors(e, width, lanes, [&](Value j, int64_t active) {
    Value x = e.loadVector(pointers.operands[0], in, e.add(first, j), lanes, active);
    if (in != acc)
      x = arith::ExtFOp::create(e.b, e.loc, KernelEmitter::vectorOf(acc, lanes), x);
    Value position = e.add(target, j),
          sum = e.loadVector(pointers.results[0], acc, position, lanes, active);
    e.store(arith::AddFOp::create(e.b, e.loc, sum, x), pointers.results[0], position, active);
  });
}

/// Adds a finished row to the fused reductions, if any.
static void addRowToReductions(KernelEmitter &e, Value sums, const KernelPointers &pointers,
                               Value row) {
  if (!pointers.reductions)
    return;
  Type acc = tensorOf(sums).getElementType();
  int64_t width = tensorOf(sums).getDimSize(1), lanes = e.tier.lanes(acc.getIntOrFloatBitWidth());
  Value first = e.mul(row, width);
  forVectors(e, width, lanes, [&](Value j, int64_t active) {
    Value x = e.loadVector(pointers.results[0], acc, e.add(first, j), lanes, active);
    pointers.reductions->add(0, x, active);
  });
}

namespace {
class GatherLowering : public CPUKernelLowering {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &) const override {
    return planRows(op->getResult(0));
  }
  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::GatherOp>(operation);
    auto type = tensorOf(op.getResult()), tableType = tensorOf(op.getTable());
    Type element = type.getElementType();
    int64_t width = type.getDimSize(1);
    Value limit = e.index(tableType.getDimSize(0));
    Value table = pointers.operands[0], result = pointers.results[0];
    auto gatherRow = [&](Value row, Value from) {
      Value to = e.mul(row, width), valid = within(e, from, limit);
      e.when(valid, [&] { copyRow(e, element, result, to, table, e.mul(from, width), width); });
      Value outside = arith::XOrIOp::create(e.b, e.loc, valid, e.constant(e.b.getI1Type(), 1));
      e.when(outside, [&] { fillRow(e, element, 0.0, result, to, width); });
    };
    forIndexedRows(e, begin, end, type, {table, tableType, pointers.operands[1]}, gatherRow);
  }
};

/// Task: consecutive rows of the table; every task scans all indices.
struct ScatterShape {
  int64_t rows, width, updates, perTask;
  explicit ScatterShape(kernel::ScatterAddOp op)
      : rows(tensorOf(op.getResult()).getDimSize(0)), width(tensorOf(op.getResult()).getDimSize(1)),
        updates(tensorOf(op.getIndex()).getDimSize(0)) {
    // More tasks would scan more than add.
    perTask = std::max<int64_t>(rowsPerTask(width), llvm::divideCeil(rows, 16));
  }
  int64_t tasks() const { return llvm::divideCeil(rows, perTask); }
};

class ScatterAddLowering : public CPUKernelLowering {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &) const override {
    KernelEmission emission;
    emission.tasks = ScatterShape(cast<kernel::ScatterAddOp>(op)).tasks();
    return emission;
  }
  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::ScatterAddOp>(operation);
    ScatterShape shape(op);
    forTasks(e, pointers.reductions, begin, end, [&](Value from, Value to) {
      e.loop(from, to, 1, [&](Value task) { emitTask(op, e, pointers, shape, task); });
    });
  }
  static void emitTask(kernel::ScatterAddOp op, KernelEmitter &e, const KernelPointers &pointers,
                       const ScatterShape &shape, Value task) {
    Type acc = tensorOf(op.getResult()).getElementType();
    Value first = e.mul(task, shape.perTask);
    Value count = e.min(e.index(shape.perTask), e.sub(e.index(shape.rows), first));
    e.loop(e.index(0), count, 1, [&](Value row) {
      fillRow(e, acc, 0.0, pointers.results[0], e.mul(e.add(first, row), shape.width), shape.width);
    });
    e.loop(e.index(0), e.index(shape.updates), 1, [&](Value i) {
      Value row = loadIndex(e, pointers.operands[1], i);
      Value mine = within(e, e.sub(row, first), count);
      if (auto padding = op.getPadding()) {
        Value other =
            arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, row, e.index(*padding));
        mine = arith::AndIOp::create(e.b, e.loc, mine, other);
      }
      e.when(mine, [&] { addRow(e, op.getUpdates(), op.getResult(), pointers, row, i); });
    });
    if (pointers.reductions)
      e.loop(e.index(0), count, 1, [&](Value row) {
        addRowToReductions(e, op.getResult(), pointers, e.add(first, row));
      });
  }
};

/// kernel.sort_by_key: radix sort of the row numbers, lowest digit first; each pass is stable. Time
/// does not depend on the size of the table. Workspace: the order of the previous pass, and a
/// histogram of 256 digits. Example: index [7, 3, 7] -> order [1, 0, 2], rows [3, 7, -1], starts 0,
/// 1, 3.
class Grouping {
public:
  static constexpr int64_t digitBits = 8, buckets = int64_t(1) << digitBits;
  static int64_t workspaceBytes(kernel::SortByKeyOp op) {
    return alignUp(kernel::byteSize(op.getOrder().getType())) + buckets * 4;
  }
  Grouping(kernel::SortByKeyOp op, KernelEmitter &e, const KernelPointers &pointers)
      : e(e), count(tensorOf(op.getIndex()).getDimSize(0)), of(op.getOf()),
        distinct(tensorOf(op.getRows()).getDimSize(0)), index(pointers.operands[0]),
        rows(pointers.results[0]), order(pointers.results[1]), starts(pointers.results[2]),
        other(pointers.workspace),
        counts(e.offset(other, alignUp(kernel::byteSize(op.getOrder().getType())))) {}
  void sort() {
    int64_t passes = llvm::divideCeil(llvm::Log2_64(of) + 1, digitBits);
    Value from;
    for (int64_t pass = 0; pass < passes; ++pass) {
      Value to = (passes - pass) % 2 ? order : other;
      sortByDigit(pass * digitBits, from, to);
      from = to;
    }
  }
  void writeGroups();

private:
  /// Sort key of index `i`: the row number, or `of` (last) if out of range.
  Value keyOf(Value i) {
    Value row = loadIndex(e, index, i);
    return arith::SelectOp::create(e.b, e.loc, within(e, row, e.index(of)), row, e.index(of));
  }
  Value digitOf(Value key, int64_t shift) {
    Value high = arith::ShRUIOp::create(e.b, e.loc, key, e.index(shift));
    return arith::AndIOp::create(e.b, e.loc, high, e.index(buckets - 1));
  }
  void store(Value number, Value to, Value position) {
    e.store(arith::IndexCastOp::create(e.b, e.loc, e.b.getI32Type(), number), to, position);
  }
  void sortByDigit(int64_t shift, Value from, Value to);
  Value asNumber(Value flag) {
    return arith::SelectOp::create(e.b, e.loc, flag, e.index(1), e.index(0));
  }

  KernelEmitter &e;
  int64_t count, of, distinct;
  Value index, rows, order, starts, other, counts;
};

class SortByKeyLowering : public CPUKernelLowering {
  int64_t workspaceBytes(Operation *op) const override {
    return Grouping::workspaceBytes(cast<kernel::SortByKeyOp>(op));
  }
  LogicalResult configure(Operation *op) const override {
    cast<kernel::SortByKeyOp>(op).setWorkspaceBytes(workspaceBytes(op));
    return success();
  }
  FailureOr<KernelEmission> plan(Operation *, const Tier &) const override {
    return KernelEmission();
  }
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value,
               Value) const override {
    Grouping grouping(cast<kernel::SortByKeyOp>(op), e, pointers);
    grouping.sort();
    grouping.writeGroups();
  }
};

class SegmentSumLowering : public CPUKernelLowering {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &) const override {
    return planRows(op->getResult(0));
  }
  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::SegmentSumOp>(operation);
    auto type = tensorOf(op.getResult());
    forTasks(e, pointers.reductions, begin, end, [&](Value from, Value to) {
      forRowsOfTasks(e, from, to, type.getDimSize(0), type.getDimSize(1),
                     [&](Value row) { emitRow(op, e, pointers, row); });
    });
  }
  static void emitRow(kernel::SegmentSumOp op, KernelEmitter &e, const KernelPointers &pointers,
                      Value row) {
    auto type = tensorOf(op.getResult());
    int64_t width = type.getDimSize(1);
    fillRow(e, type.getElementType(), 0.0, pointers.results[0], e.mul(row, width), width);
    Value first = loadIndex(e, pointers.operands[2], row),
          last = loadIndex(e, pointers.operands[2], e.add(row, 1));
    auto updates = tensorOf(op.getUpdates());
    IndexedTable table{pointers.operands[0], updates, pointers.operands[1]};
    e.loop(first, last, 1, [&](Value i) {
      prefetchRow(e, table, op.getFrom(), width, i, updates.getDimSize(0));
      addRow(e, op.getUpdates(), op.getResult(), pointers, row,
             loadIndex(e, pointers.operands[1], i), op.getFrom());
    });
    addRowToReductions(e, op.getResult(), pointers, row);
  }
};

/// Scatter into the table in place: result and table share memory.
class ScatterRowsLowering : public CPUKernelLowering {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &) const override {
    return planRows(cast<kernel::ScatterRowsOp>(op).getRows());
  }
  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::ScatterRowsOp>(operation);
    auto type = tensorOf(op.getRows()), tableType = tensorOf(op.getTable());
    int64_t width = type.getDimSize(1);
    Value limit = e.index(tableType.getDimSize(0)), table = pointers.results[0];
    auto scatterRow = [&](Value row, Value to) {
      e.when(within(e, to, limit), [&] {
        copyRow(e, type.getElementType(), table, e.mul(to, width), pointers.operands[0],
                e.mul(row, width), width);
      });
    };
    forIndexedRows(e, begin, end, type, {table, tableType, pointers.operands[1]}, scatterRow);
  }
};
} // namespace

void Grouping::sortByDigit(int64_t shift, Value from, Value to) {
  Value zero = e.index(0), last = e.index(count);
  e.loop(zero, e.index(buckets), 1, [&](Value d) { store(zero, counts, d); });
  e.loop(zero, last, 1, [&](Value i) {
    Value digit = digitOf(keyOf(i), shift);
    store(e.add(loadIndex(e, counts, digit), 1), counts, digit);
  });
  // Exclusive prefix sum: entries before the first of each digit.
  e.loop(zero, e.index(buckets), 1, zero, [&](Value d, ValueRange before) {
    Value sum = e.add(before[0], loadIndex(e, counts, d));
    store(before[0], counts, d);
    return SmallVector<Value>{sum};
  });
  e.loop(zero, last, 1, [&](Value i) {
    Value number = from ? loadIndex(e, from, i) : i;
    Value digit = digitOf(keyOf(number), shift), at = loadIndex(e, counts, digit);
    store(number, to, at);
    store(e.add(at, 1), counts, digit);
  });
}

/// Starts a group wherever the sorted row number changes.
void Grouping::writeGroups() {
  Value zero = e.index(0), none = e.index(of);
  SmallVector<Value> ends =
      e.loop(zero, e.index(count), 1, {zero, none, zero}, [&](Value i, ValueRange carried) {
        Value groups = carried[0], key = keyOf(loadIndex(e, order, i)), named = e.less(key, none);
        Value differs =
            arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, key, carried[1]);
        Value isFirst = arith::AndIOp::create(e.b, e.loc, named, differs);
        e.when(isFirst, [&] {
          store(key, rows, groups);
          store(i, starts, groups);
        });
        return SmallVector<Value>{e.add(groups, asNumber(isFirst)), key,
                                  e.add(carried[2], asNumber(named))};
      });
  e.loop(ends[0], e.index(distinct), 1, [&](Value k) {
    store(e.index(-1), rows, k);
    store(ends[2], starts, k);
  });
  store(ends[2], starts, e.index(distinct));
}

void cpu::addRowLowering(target::KernelRegistry &registry) {
  registry.add<kernel::GatherOp, GatherLowering>();
  registry.add<kernel::ScatterAddOp, ScatterAddLowering>();
  registry.add<kernel::SortByKeyOp, SortByKeyLowering>();
  registry.add<kernel::SegmentSumOp, SegmentSumLowering>();
  registry.add<kernel::ScatterRowsOp, ScatterRowsLowering>();
}
