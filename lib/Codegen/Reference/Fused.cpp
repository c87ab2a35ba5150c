// kernel.map and kernel.reduce.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Reference/ReferenceKernelLowering.h"
#include "lib/Codegen/Reference/TreeNumbers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;
using namespace ampc::target;

/// Leaves of the two trees of a row reduction: columns of a chunk's matrix, then chunks.
static std::pair<int64_t, int64_t> treesOf(int64_t length) {
  return {std::min(length, target::order::rowWidth),
          llvm::divideCeil(length, target::order::chunkColumns)};
}
static int64_t mapScratchBytes(Operation *operation) {
  auto op = cast<kernel::MapOp>(operation);
  if (op.getBody().front().getOps<kernel::RowReduceOp>().empty())
    return 0;
  auto [columns, chunks] = treesOf(op.getSpace().back());
  return TreeNumbers::bytes(columns) + TreeNumbers::bytes(chunks);
}

/// Reduction of a row in the order of target::order: a tree per chunk, then a tree over chunks.
static Value reduceRow(kernel::RowReduceOp reduce, LoopEmitter &e, Value scratch, int64_t length,
                       llvm::function_ref<Value(Value column)> term) {
  auto [width, count] = treesOf(length);
  kernel::Combine kind = reduce.getKind();
  Type type = reduce.getType();
  TreeNumbers columns(e, kind, type, scratch, width),
      chunks(e, kind, type, e.offset(scratch, TreeNumbers::bytes(width)), count);
  e.loop(e.index(0), e.index(count), 1, [&](Value chunk) {
    Value from = e.mul(chunk, target::order::chunkColumns);
    Value to = e.min(e.add(from, target::order::chunkColumns), e.index(length));
    e.loop(e.index(0), e.index(columns.size()), 1, [&](Value j) {
      Value start = neutral(e, kind, type);
      auto add = [&](Value column, ValueRange sum) {
        return SmallVector<Value>{combine(e, kind, sum[0], term(column))};
      };
      columns.store(e.loop(e.add(from, j), to, target::order::rowWidth, start, add)[0], j);
    });
    chunks.store(columns.add(), chunk);
  });
  return chunks.add();
}

/// Reductions of a row, in order, because a later reduction may read the result of an earlier
/// reduction.
static Body::Values reduceRow(kernel::MapOp op, LoopEmitter &e, Body &body, Value scratch,
                              ArrayRef<Value> row) {
  Body::Values found;
  for (auto reduce : body.block().getOps<kernel::RowReduceOp>())
    found[reduce.getResult()] =
        reduceRow(reduce, e, scratch, op.getSpace().back(), [&](Value column) {
          Body::Values known(found);
          SmallVector<Value> dims(row);
          dims.push_back(column);
          return body.evaluate(reduce.getX(), dims, known);
        });
  return found;
}

/// Emits kernel.map row by row. A result per row (`[rows]`) is stored at the last column, because
/// the result may share the buffer of an operand that the columns of the row read.
static void emitMap(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::MapOp>(operation);
  Body body(e, op, pointers);
  ArrayRef<int64_t> space = op.getSpace();
  if (space.empty()) {
    Body::Values known;
    for (auto [k, value] : llvm::enumerate(body.yields({}, known)))
      body.store(k, value, {});
    return;
  }
  unsigned last = space.size() - 1;
  forPoints(e, space.drop_back(), [&](ArrayRef<Value> row) {
    Body::Values reduced = reduceRow(op, e, body, pointers.scratch, row);
    e.loop(e.index(0), e.index(space[last]), 1, [&](Value column) {
      Body::Values known(reduced);
      SmallVector<Value> dims(row);
      dims.push_back(column);
      for (auto [k, value] : llvm::enumerate(body.yields(dims, known)))
        if (body.space().results[k].dependsOn(last))
          body.store(k, value, dims);
        else
          e.when(equal(e, column, e.index(space[last] - 1)),
                 [&, k = k, value = value] { body.store(k, value, dims); });
    });
  });
}

namespace {
/// kernel.reduce in the order of target::order; elements of the result [outer, inner] are computed
/// in sequence.
class ReduceWriter {
public:
  ReduceWriter(kernel::ReduceOp op, LoopEmitter &e, const KernelPointers &pointers)
      : op(op), order(op), e(e), body(e, op, pointers, order.space) {
    Value base = pointers.scratch;
    auto take = [&](Type type, int64_t count) {
      TreeNumbers numbers(e, op.getKind(), getElementTypeOrSelf(type), base, count);
      base = e.offset(base, TreeNumbers::bytes(count));
      return numbers;
    };
    for (Type type : op->getResultTypes()) {
      terms.push_back(take(type, termsOf(order)));
      chunks.push_back(take(type, order.chunks));
    }
  }
  void emit();
  static int64_t scratchBytes(Operation *op) {
    target::ReduceOrder order(cast<kernel::ReduceOp>(op));
    return op->getNumResults() *
           (TreeNumbers::bytes(termsOf(order)) + TreeNumbers::bytes(order.chunks));
  }

private:
  using Values = SmallVector<Value>;
  /// Leaves of a tree below the chunks: of a chunk of a row, or of a block of 16 rows of a column.
  static int64_t termsOf(const target::ReduceOrder &order) {
    return std::min(order.reduced,
                    order.isOfRows() ? target::order::rowWidth : target::order::blockRows);
  }
  Values start();
  Values add(ValueRange sums, ValueRange next);
  Values addTree();
  Values reduceRow(Value outer, Value from, Value to);
  Values reduceColumn(Value outer, Value inner, Value from, Value to);
  Values yields(Value outer, Value i, Value inner) {
    Body::Values known;
    return body.yields({outer, i, inner}, known);
  }

  kernel::ReduceOp op;
  target::ReduceOrder order;
  LoopEmitter &e;
  Body body;
  SmallVector<TreeNumbers> terms, chunks; // by result
};
} // namespace

ReduceWriter::Values ReduceWriter::start() {
  return llvm::map_to_vector(op->getResultTypes(), [&](Type type) {
    return neutral(e, op.getKind(), getElementTypeOrSelf(type));
  });
}
ReduceWriter::Values ReduceWriter::add(ValueRange sums, ValueRange next) {
  Values all;
  for (auto [sum, term] : llvm::zip(sums, next))
    all.push_back(combine(e, op.getKind(), sum, term));
  return all;
}
ReduceWriter::Values ReduceWriter::addTree() {
  return llvm::map_to_vector(terms, [](TreeNumbers &numbers) { return numbers.add(); });
}

/// Reduces a chunk of a contiguous row: leaf j sums every 512th term, from term j on.
ReduceWriter::Values ReduceWriter::reduceRow(Value outer, Value from, Value to) {
  e.loop(e.index(0), e.index(termsOf(order)), 1, [&](Value j) {
    Values sums =
        e.loop(e.add(from, j), to, target::order::rowWidth, start(),
               [&](Value i, ValueRange soFar) { return add(soFar, yields(outer, i, e.index(0))); });
    for (auto [numbers, sum] : llvm::zip(terms, sums))
      numbers.store(sum, j);
  });
  return addTree();
}

/// Reduces a chunk of a column: blocks of sixteen rows in sequence, a tree per block.
ReduceWriter::Values ReduceWriter::reduceColumn(Value outer, Value inner, Value from, Value to) {
  return e.loop(from, to, target::order::blockRows, start(), [&](Value first, ValueRange soFar) {
    e.loop(e.index(0), e.index(termsOf(order)), 1, [&](Value row) {
      for (auto [numbers, none] : llvm::zip(terms, start()))
        numbers.store(none, row);
      Value i = e.add(first, row);
      e.when(e.less(i, to), [&] {
        for (auto [numbers, term] : llvm::zip(terms, yields(outer, i, inner)))
          numbers.store(term, row);
      });
    });
    return add(soFar, addTree());
  });
}

void ReduceWriter::emit() {
  forPoints(e, {order.outer, order.inner}, [&](ArrayRef<Value> place) {
    e.loop(e.index(0), e.index(order.chunks), 1, [&](Value chunk) {
      Value from = e.mul(chunk, order.chunk);
      Value to = e.min(e.add(from, order.chunk), e.index(order.reduced));
      Values sums = order.isOfRows() ? reduceRow(place[0], from, to)
                                     : reduceColumn(place[0], place[1], from, to);
      for (auto [numbers, sum] : llvm::zip(chunks, sums))
        numbers.store(sum, chunk);
    });
    for (auto [k, numbers] : llvm::enumerate(chunks))
      body.store(k, numbers.add(), {place[0], e.index(0), place[1]});
  });
}

static void emitReduce(Operation *op, LoopEmitter &e, const KernelPointers &pointers) {
  ReduceWriter(cast<kernel::ReduceOp>(op), e, pointers).emit();
}

void reference::addFusedLowering(LoweringTable &table) {
  table[kernel::MapOp::getOperationName()] = {emitMap, mapScratchBytes};
  table[kernel::ReduceOp::getOperationName()] = {emitReduce, ReduceWriter::scratchBytes};
}
