// kernel.gather, kernel.segment_sum, kernel.scatter_rows and kernel.assemble.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/PlainLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::target;

void target::emitPlainGather(Operation *operation, Points &points) {
  auto op = cast<kernel::GatherOp>(operation);
  auto table = tensorOf(op.getTable()), rows = tensorOf(op.getResult());
  Type element = rows.getElementType();
  points.forEach(rows.getShape(), [&](LoopEmitter &e, const KernelPointers &pointers,
                                      ArrayRef<Value> p) {
    Value from = loadIndex(e, pointers.operands[1], p[0]);
    Value inside = within(e, from, table.getDimSize(0));
    from = select(e, inside, from, e.index(0));
    Value x = e.loadScalar(pointers.operands[0], element, at(e, table.getShape(), {from, p[1]}));
    e.storeScalar(select(e, inside, x, e.constant(element, 0)), pointers.results[0],
                  at(e, rows.getShape(), p));
  });
}

void target::emitPlainSegmentSum(Operation *operation, Points &points) {
  auto op = cast<kernel::SegmentSumOp>(operation);
  auto updates = tensorOf(op.getUpdates()), sums = tensorOf(op.getResult());
  Type acc = sums.getElementType();
  points.forEach(
      sums.getShape(), [&](LoopEmitter &e, const KernelPointers &pointers, ArrayRef<Value> p) {
        Value first = loadIndex(e, pointers.operands[2], p[0]),
              last = loadIndex(e, pointers.operands[2], e.add(p[0], 1));
        auto next = [&](Value i, ValueRange sum) -> SmallVector<Value> {
          Value row = loadIndex(e, pointers.operands[1], i);
          Value x = e.loadScalar(pointers.operands[0], updates.getElementType(),
                                 at(e, updates.getShape(), {row, e.add(p[1], op.getFrom())}));
          return {arith::AddFOp::create(e.b, e.loc, sum[0], widen(e, x, acc))};
        };
        Value sum = e.loop(first, last, 1, e.constant(acc, 0), next)[0];
        e.storeScalar(sum, pointers.results[0], at(e, sums.getShape(), p));
      });
}

/// Scatters in place: the result shares the table's buffer.
void target::emitPlainScatterRows(Operation *operation, Points &points) {
  auto op = cast<kernel::ScatterRowsOp>(operation);
  auto rows = tensorOf(op.getRows()), table = tensorOf(op.getTable());
  points.forEach(
      rows.getShape(), [&](LoopEmitter &e, const KernelPointers &pointers, ArrayRef<Value> p) {
        Value row = loadIndex(e, pointers.operands[1], p[0]);
        e.when(within(e, row, table.getDimSize(0)), [&] {
          Value x =
              e.loadScalar(pointers.operands[0], rows.getElementType(), at(e, rows.getShape(), p));
          e.storeScalar(x, pointers.results[0], at(e, table.getShape(), {row, p[1]}));
        });
      });
}

void target::emitPlainAssemble(Operation *operation, Points &points) {
  auto op = cast<kernel::AssembleOp>(operation);
  auto whole = tensorOf(op.getResult());
  unsigned rank = whole.getRank();
  int64_t covered = 0; // operands do not overlap
  for (Value part : op.getParts())
    covered += tensorOf(part).getNumElements();
  if (covered < whole.getNumElements())
    points.forEach({whole.getNumElements()}, [&](LoopEmitter &e, const KernelPointers &pointers,
                                                 ArrayRef<Value> p) {
      Value filling = e.constant(whole.getElementType(), op.getFill().convertToDouble());
      e.storeScalar(filling, pointers.results[0], p[0]);
    });
  for (auto [i, value] : llvm::enumerate(op.getParts())) {
    auto part = tensorOf(value);
    auto offsets = op.getOffsets().slice(i * rank, rank),
         strides = op.getStrides().slice(i * rank, rank);
    points.forEach(part.getShape(), [&, i = i](LoopEmitter &e, const KernelPointers &pointers,
                                               ArrayRef<Value> dims) {
      SmallVector<Value> to;
      for (auto [dim, offset, stride] : llvm::zip(dims, offsets, strides))
        to.push_back(e.add(e.mul(dim, stride), offset));
      Value x =
          e.loadScalar(pointers.operands[i], part.getElementType(), at(e, part.getShape(), dims));
      e.storeScalar(x, pointers.results[0], at(e, whole.getShape(), to));
    });
  }
}
