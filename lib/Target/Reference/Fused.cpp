// kernel.map and kernel.reduce.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/Common/Combine.h"
#include "lib/Target/Reference/Writers.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::reference;
using namespace ampc::target;

/// The reductions of a row, in their order; later ones may read earlier ones.
static Body::Values reduceRow(kernel::MapOp op, LoopEmitter &e, Body &body, ArrayRef<Value> row) {
  Body::Values found;
  for (auto reduce : body.block().getOps<kernel::RowReduceOp>()) {
    auto next = [&](ArrayRef<Value> column, Value sum) {
      Body::Values known(found);
      SmallVector<Value> dims(row);
      dims.append(column.begin(), column.end());
      return combine(e, reduce.getKind(), sum, body.evaluate(reduce.getX(), dims, known));
    };
    Value start = neutral(e, reduce.getKind(), reduce.getType());
    found[reduce.getResult()] = accumulate(e, {op.getSpace().back()}, start, next);
  }
  return found;
}

/// A result that is one number per row may lie where the row's points read: it comes last.
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
    Body::Values reduced = reduceRow(op, e, body, row);
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

static void emitReduce(Operation *operation, LoopEmitter &e, const KernelPointers &pointers) {
  auto op = cast<kernel::ReduceOp>(operation);
  Body body(e, op, pointers);
  ArrayRef<int64_t> space = op.getSpace();
  forPoints(e, {space[0], space[2]}, [&](ArrayRef<Value> place) {
    SmallVector<Value> sums;
    for (Type type : body.block().getTerminator()->getOperandTypes())
      sums.push_back(neutral(e, op.getKind(), type));
    sums = e.loop(e.index(0), e.index(space[1]), 1, sums, [&](Value i, ValueRange soFar) {
      Body::Values known;
      SmallVector<Value> terms = body.yields({place[0], i, place[1]}, known), next;
      for (auto [sum, term] : llvm::zip(soFar, terms))
        next.push_back(combine(e, op.getKind(), sum, term));
      return next;
    });
    for (auto [k, sum] : llvm::enumerate(sums))
      body.store(k, sum, {place[0], e.index(0), place[1]});
  });
}

void reference::addFusedWriters(Writers &writers) {
  writers[kernel::MapOp::getOperationName()] = {emitMap, nullptr};
  writers[kernel::ReduceOp::getOperationName()] = {emitReduce, nullptr};
}
