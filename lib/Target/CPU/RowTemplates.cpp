// kernel.gather and kernel.scatter_add: rows of a table by number.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Target/CPU/KernelTemplate.h"
#include "ampc/Target/CPU/Loops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Element `i` of the index, an i32, as a position.
static Value loadIndex(KernelEmitter &e, Value base, Value i) {
  return e.asIndex(e.loadScalar(base, e.b.getI32Type(), i));
}

namespace {
class GatherTemplate : public KernelTemplate {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &) const override {
    ArrayRef<int64_t> shape = tensorOf(op->getResult(0)).getShape();
    KernelEmission emission;
    emission.tasks = llvm::divideCeil(shape[0], rowsPerTask(shape[1]));
    return emission;
  }
  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::GatherOp>(operation);
    auto type = tensorOf(op.getResult());
    Type element = type.getElementType();
    int64_t rows = type.getDimSize(0), width = type.getDimSize(1), perTask = rowsPerTask(width);
    Value limit = e.index(tensorOf(op.getTable()).getDimSize(0));
    Value table = pointers.operands[0], result = pointers.results[0];
    e.loop(e.mul(begin, perTask), e.min(e.mul(end, perTask), e.index(rows)), 1, [&](Value row) {
      Value from = loadIndex(e, pointers.operands[1], row), to = e.mul(row, width);
      Value valid = within(e, from, limit);
      e.when(valid, [&] { copyRow(e, element, result, to, table, e.mul(from, width), width); });
      Value outside = arith::XOrIOp::create(e.b, e.loc, valid, e.constant(e.b.getI1Type(), 1));
      e.when(outside, [&] { fillRow(e, element, 0.0, result, to, width); });
    });
  }
};

/// A task owns consecutive rows of the table and looks through all indices for them.
struct ScatterShape {
  int64_t rows, width, updates, perTask;
  explicit ScatterShape(kernel::ScatterAddOp op)
      : rows(tensorOf(op.getResult()).getDimSize(0)), width(tensorOf(op.getResult()).getDimSize(1)),
        updates(tensorOf(op.getIndex()).getDimSize(0)) {
    // More tasks would spend their time on looking.
    perTask = std::max<int64_t>(rowsPerTask(width), llvm::divideCeil(rows, 16));
  }
  int64_t tasks() const { return llvm::divideCeil(rows, perTask); }
};

class ScatterAddTemplate : public KernelTemplate {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &) const override {
    KernelEmission emission;
    emission.tasks = ScatterShape(cast<kernel::ScatterAddOp>(op)).tasks();
    return emission;
  }
  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::ScatterAddOp>(operation);
    ScatterShape shape(op);
    Type acc = tensorOf(op.getResult()).getElementType();
    e.loop(begin, end, 1, [&](Value task) {
      Value first = e.mul(task, shape.perTask);
      Value count = e.min(e.index(shape.perTask), e.sub(e.index(shape.rows), first));
      e.loop(e.index(0), count, 1, [&](Value row) {
        fillRow(e, acc, 0.0, pointers.results[0], e.mul(e.add(first, row), shape.width),
                shape.width);
      });
      e.loop(e.index(0), e.index(shape.updates), 1, [&](Value i) {
        Value row = loadIndex(e, pointers.operands[1], i);
        Value mine = within(e, e.sub(row, first), count);
        if (auto padding = op.getPadding()) {
          Value other =
              arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ne, row, e.index(*padding));
          mine = arith::AndIOp::create(e.b, e.loc, mine, other);
        }
        e.when(mine, [&] {
          addRow(e, op, pointers, e.mul(row, shape.width), e.mul(i, shape.width), shape.width);
        });
      });
    });
  }
  static void addRow(KernelEmitter &e, kernel::ScatterAddOp op, const KernelPointers &pointers,
                     Value to, Value from, int64_t width) {
    Type acc = tensorOf(op.getResult()).getElementType(),
         in = tensorOf(op.getUpdates()).getElementType();
    int64_t lanes = e.tier.lanes(acc.getIntOrFloatBitWidth());
    forVectors(e, width, lanes, [&](Value j, int64_t active) {
      Value x = e.loadVector(pointers.operands[0], in, e.add(from, j), lanes, active);
      if (in != acc)
        x = arith::ExtFOp::create(e.b, e.loc, KernelEmitter::vectorOf(acc, lanes), x);
      Value position = e.add(to, j),
            sum = e.loadVector(pointers.results[0], acc, position, lanes, active);
      e.store(arith::AddFOp::create(e.b, e.loc, sum, x), pointers.results[0], position, active);
    });
  }
};
} // namespace

void cpu::addRowTemplates(TemplateRegistry &registry) {
  registry.add<kernel::GatherOp, GatherTemplate>();
  registry.add<kernel::ScatterAddOp, ScatterAddTemplate>();
}
