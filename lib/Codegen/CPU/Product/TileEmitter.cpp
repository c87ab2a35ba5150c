// Transposing maps: squares of [lanes, lanes] elements, transposed in registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Product/TileEmitter.h"
#include "lib/Codegen/CPU/Cost.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

/// Whether vectors of the tensor lie along `across`.
static bool liesAcross(const Access &access, unsigned across) {
  unsigned last = access.strides.size() - 1;
  return !access.residue && access.strides[across] == 1 && access.strides[last] != 0;
}

std::optional<TileShape> TileShape::of(kernel::MapOp op, const IterationSpace &space,
                                       int64_t lanes) {
  Block &body = op.getBody().front();
  if (!body.getOps<kernel::RowReduceOp>().empty() || space.sizes.back() < lanes)
    return std::nullopt;
  for (unsigned dim = 0; dim + 1 < space.rank(); ++dim) {
    auto isAcross = [&](const Access &access) { return liesAcross(access, dim); };
    if (space.sizes[dim] < lanes ||
        llvm::none_of(llvm::concat<const Access>(space.inputs, space.results), isAcross))
      continue;
    TileShape shape;
    shape.across = dim;
    shape.edge = lanes;
    shape.strips = llvm::divideCeil(space.sizes[dim], lanes);
    int64_t planes = space.count(0, space.rank() - 1) / space.sizes[dim];
    shape.units = planes * shape.strips;
    shape.unitsPerTask = std::max<int64_t>(1, pointsPerTask(op) / (lanes * space.sizes.back()));
    return shape;
  }
  return std::nullopt;
}

namespace {
class TileEmitter {
public:
  TileEmitter(KernelEmitter &e, kernel::MapOp op, BodyEmitter &body, const TileShape &shape)
      : e(e), op(op), body(body), shape(shape), last(body.space().rank() - 1) {}
  void emitUnit(Value unit);

private:
  void emitSquare(Value first, Value j);
  void emitRun(Value i, Value j, int64_t active);
  PointVector runAt(Value i, Value j, int64_t active) const;
  SmallVector<Value> loadColumns(unsigned input, Value first, Value j);
  void storeColumns(unsigned k, ArrayRef<Value> rows, Value first, Value j);

  KernelEmitter &e;
  kernel::MapOp op;
  BodyEmitter &body;
  const TileShape &shape;
  unsigned last;
  SmallVector<Value>
      dims; // of the unit; entries of `across` and of the last dimension are overwritten
};
} // namespace

PointVector TileEmitter::runAt(Value i, Value j, int64_t active) const {
  PointVector run;
  run.dims = dims;
  run.dims[shape.across] = i;
  run.dims[last] = j;
  run.along = last;
  run.lanes = shape.edge;
  run.active = active;
  return run;
}
void TileEmitter::emitRun(Value i, Value j, int64_t active) {
  body.emitResults(runAt(i, j, active), {});
}

/// Loads [edge, edge] elements as columns along `across` and transposes to rows.
SmallVector<Value> TileEmitter::loadColumns(unsigned input, Value first, Value j) {
  Value base = body.inputPointer(input);
  Type element = body.body().getArgument(input).getType();
  SmallVector<Value> columns;
  for (int64_t n = 0; n < shape.edge; ++n) {
    PointVector run = runAt(first, e.add(j, n), shape.edge);
    Value at = target::position(e, body.space().inputs[input], run.dims);
    columns.push_back(e.loadVector(base, element, at, shape.edge));
  }
  return e.transpose(columns);
}
void TileEmitter::storeColumns(unsigned k, ArrayRef<Value> rows, Value first, Value j) {
  for (auto [n, column] : llvm::enumerate(e.transpose(rows))) {
    PointVector run = runAt(first, e.add(j, n), shape.edge);
    e.store(column, body.resultPointer(k), target::position(e, body.space().results[k], run.dims));
  }
}

// All loads come before all stores: a result may share the buffer of an input.
void TileEmitter::emitSquare(Value first, Value j) {
  const IterationSpace &space = body.space();
  SmallVector<std::pair<Value, SmallVector<Value>>> turned;
  for (BlockArgument arg : body.body().getArguments())
    if (liesAcross(space.inputs[arg.getArgNumber()], shape.across) && !arg.use_empty())
      turned.push_back({arg, loadColumns(arg.getArgNumber(), first, j)});
  Operation *yield = body.body().getTerminator();
  SmallVector<SmallVector<Value>> values(op->getNumResults());
  for (int64_t i = 0; i < shape.edge; ++i) {
    PointVector run = runAt(e.add(first, i), j, shape.edge);
    BodyEmitter::Values done;
    for (auto &[arg, rows] : turned)
      done[arg] = rows[i];
    for (auto [k, list] : llvm::enumerate(values))
      list.push_back(body.evaluate(yield->getOperand(k), run, done));
  }
  for (auto [k, list] : llvm::enumerate(values)) {
    if (liesAcross(space.results[k], shape.across)) {
      for (Value &value : list) {
        value = e.broadcast(value, shape.edge);
        body.addToReductions(k, value, shape.edge);
      }
      storeColumns(k, list, first, j);
      continue;
    }
    for (auto [i, value] : llvm::enumerate(list))
      body.storeResult(k, value, runAt(e.add(first, i), j, shape.edge));
  }
}

// Rows and columns beside whole squares go element by element.
void TileEmitter::emitUnit(Value unit) {
  const IterationSpace &space = body.space();
  int64_t rows = space.sizes[shape.across], length = space.sizes[last], edge = shape.edge;
  Value first = e.mul(e.rem(unit, shape.strips), edge), rest = e.div(unit, shape.strips);
  dims.assign(space.rank(), Value());
  for (unsigned dim = last; dim-- > 0;)
    if (dim != shape.across) {
      dims[dim] = e.rem(rest, space.sizes[dim]);
      rest = e.div(rest, space.sizes[dim]);
    }
  size_t mark = body.mark();
  body.pin(runAt(first, e.index(0), 1), uint64_t(1) << last | uint64_t(1) << shape.across);
  int64_t tail = length % edge, whole = length - tail;
  Value isWhole = e.less(first, e.index(rows - rows % edge));
  e.when(isWhole, [&] {
    e.loop(e.index(0), e.index(whole), edge, [&](Value j) { emitSquare(first, j); });
    if (tail)
      e.loop(first, e.add(first, edge), 1, [&](Value i) { emitRun(i, e.index(whole), tail); });
  });
  if (rows % edge)
    e.when(e.less(e.index(rows - rows % edge - 1), first), [&] {
      e.loop(first, e.index(rows), 1, [&](Value i) {
        e.loop(e.index(0), e.index(whole), edge, [&](Value j) { emitRun(i, j, edge); });
        if (tail)
          emitRun(i, e.index(whole), tail);
      });
    });
  body.release(mark);
}

void cpu::emitTiles(KernelEmitter &e, kernel::MapOp op, BodyEmitter &body, const TileShape &shape,
                    Value begin, Value end) {
  TileEmitter tiles(e, op, body, shape);
  Value stop = e.min(e.mul(end, shape.unitsPerTask), e.index(shape.units));
  e.loop(e.mul(begin, shape.unitsPerTask), stop, 1, [&](Value unit) { tiles.emitUnit(unit); });
}
