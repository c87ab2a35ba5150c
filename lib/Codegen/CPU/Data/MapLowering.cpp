// kernel.map: row by row; a row with reductions runs in stages. Example: softmax has stages max,
// sum, store.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/Cost.h"
#include "lib/Codegen/CPU/Data/FusedReduction.h"
#include "lib/Codegen/CPU/Data/RowCache.h"
#include "lib/Codegen/CPU/Data/RowSums.h"
#include "lib/Codegen/CPU/Product/PackedResults.h"
#include "lib/Codegen/CPU/Product/TileEmitter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

/// Filter [outputs, y, x, channels] as [outputs, rest]: all accesses of a packed result are linear
/// in the merged dimensions (see KernelFusePacks).
static void joinRows(IterationSpace &space) {
  unsigned last = space.rank() - 1;
  while (last > 1 && space.sizes[last] == 1)
    --last;
  for (SmallVector<Access> *list : {&space.inputs, &space.results})
    for (Access &access : *list)
      access.strides = {access.strides[0], access.strides[last]};
  space.sizes = {space.sizes[0], space.count(1, space.rank())};
}

namespace {
/// Task grid of a map: whole rows, or segments of rows longer than a task. Packed results have a
/// grid of their own, see PackedResults. Example: 4 rows of 1e6 points -> 4 x 84 segments at 12000
/// points a task.
struct MapShape {
  IterationSpace space;
  int64_t rows, length;
  int64_t segment, segments; // per row
  int64_t rowsPerTask;       // 1 if rows have several segments

  explicit MapShape(kernel::MapOp op) : space(IterationSpace::of(op)) {
    Block &body = op.getBody().front();
    bool reduces = !body.getOps<kernel::RowReduceOp>().empty();
    if (llvm::none_of(op->getResultTypes(), kernel::packingOf))
      space.collapse(reduces || !body.getOps<kernel::RowIndexOp>().empty());
    else
      joinRows(space);
    length = space.sizes.back();
    rows = space.count(0, space.rank() - 1);
    int64_t points = pointsPerTask(op);
    // Segments are whole cache lines of every type.
    segment = reduces || length <= 2 * points ? length : llvm::alignTo(points, 64);
    segments = llvm::divideCeil(length, segment);
    rowsPerTask = segments > 1 ? 1 : std::max<int64_t>(1, points / length);
  }
  int64_t tasks() const { return llvm::divideCeil(rows, rowsPerTask) * segments; }
  /// Indices of all dimensions but the row's.
  SmallVector<Value> outerAt(KernelEmitter &e, Value row) const {
    return space.delinearize(e, row, space.rank() - 1);
  }
};

/// Emits a row, or a segment of a row.
class RowEmitter {
public:
  RowEmitter(KernelEmitter &e, kernel::MapOp op, BodyEmitter &body, Value scratch)
      : e(e), op(op), body(body), last(body.space().rank() - 1), length(body.space().sizes.back()),
        cache(op, length), scratch(scratch) {}

  void emit(ArrayRef<Value> outer, Value from, Value to);
  /// A whole row as one vector, for rows shorter than a vector.
  PointVector wholeRow(ArrayRef<Value> dims) const {
    PointVector run = runAt(dims.back(), length);
    run.dims = llvm::to_vector(dims);
    return run;
  }

private:
  PointVector runAt(Value j, int64_t active) const;
  void reduceStage(MutableArrayRef<kernel::RowReduceOp> reductions);
  void storeVarying(Value from, Value to);
  void storeUniform();

  KernelEmitter &e;
  kernel::MapOp op;
  BodyEmitter &body;
  unsigned last;
  int64_t length;
  RowCache cache;
  Value scratch;
  SmallVector<Value> outer;
  unsigned stage = 0;
};
} // namespace

PointVector RowEmitter::runAt(Value j, int64_t active) const {
  PointVector run;
  run.dims = outer;
  run.dims.push_back(j);
  run.along = last;
  run.lanes = body.lanes();
  run.active = active;
  return run;
}

void RowEmitter::reduceStage(MutableArrayRef<kernel::RowReduceOp> reductions) {
  SmallVector<RowSums::Sum> sums;
  SmallVector<Value> elements;
  for (kernel::RowReduceOp r : reductions) {
    sums.push_back({r.getKind(), r.getType()});
    elements.push_back(r.getX());
  }
  auto terms = [&](Value j, int64_t active) {
    PointVector run = runAt(j, active);
    BodyEmitter::Values done;
    cache.load(e, body, scratch, stage, run, done);
    SmallVector<Value> found;
    for (kernel::RowReduceOp r : reductions)
      found.push_back(body.evaluateVector(r.getX(), run, done));
    cache.store(e, scratch, stage, run, done);
    return found;
  };
  RowSums rows(e, sums, body.lanes(), instructionsOf(elements), e.offset(scratch, cache.bytes()));
  for (auto [r, sum] : llvm::zip(reductions, rows.emit(length, terms)))
    body.define(r.getResult(), sum);
}

void RowEmitter::storeVarying(Value from, Value to) {
  Operation *yield = op.getBody().front().getTerminator();
  SmallVector<unsigned> varying;
  for (unsigned k = 0; k < op->getNumResults(); ++k)
    if (body.space().results[k].dependsOn(last) && PackedResults::writesElements(op, k))
      varying.push_back(k);
  if (varying.empty())
    return;
  auto write = [&](Value j, int64_t active) {
    PointVector run = runAt(j, active);
    BodyEmitter::Values done;
    cache.load(e, body, scratch, stage, run, done);
    SmallVector<Value> values;
    for (unsigned k : varying)
      values.push_back(body.evaluate(yield->getOperand(k), run, done));
    for (auto [k, value] : llvm::zip(varying, values))
      body.storeResult(k, value, run);
  };
  int64_t lanes = body.lanes(), tail = length % lanes;
  Value whole = e.index(length - tail);
  e.loop(from, e.min(to, whole), lanes, [&](Value j) { write(j, lanes); });
  if (tail)
    e.when(e.less(whole, to), [&] { write(whole, tail); });
}
void RowEmitter::storeUniform() {
  Operation *yield = op.getBody().front().getTerminator();
  PointVector run = runAt(e.index(0), 1);
  run.lanes = 1;
  BodyEmitter::Values done;
  for (unsigned k = 0; k < op->getNumResults(); ++k)
    if (!body.space().results[k].dependsOn(last))
      body.storeResult(k, body.evaluate(yield->getOperand(k), run, done), run);
}

void RowEmitter::emit(ArrayRef<Value> outerDims, Value from, Value to) {
  outer = llvm::to_vector(outerDims);
  size_t mark = body.mark();
  uint64_t lastBit = uint64_t(1) << last;
  PointVector start = runAt(from, 1);
  body.pin(start, lastBit);
  auto stages = target::reductionsByStage(op.getBody().front());
  for (stage = 0; stage < stages.size(); ++stage) {
    reduceStage(stages[stage]);
    body.pin(start, lastBit);
  }
  storeVarying(from, to);
  // Results without the row's dimension are stored by the first segment only.
  e.when(e.less(from, e.index(1)), [&] { storeUniform(); });
  body.release(mark);
}

/// Scratch bytes for the sums of a stage. Upper bound: the sums of all stages.
static int64_t sumBytes(kernel::MapOp op, int64_t length) {
  auto reductions = op.getBody().front().getOps<kernel::RowReduceOp>();
  return RowSums::scratchBytes(std::distance(reductions.begin(), reductions.end()), length);
}

namespace {
class MapLowering : public CPUKernelLowering {
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override {
    auto map = cast<kernel::MapOp>(op);
    MapShape shape(map);
    KernelEmission emission;
    if (PackedResults packed(map, tier); packed) {
      if (failed(packed.checkSizes(tier)))
        return failure();
      emission.tasks = packed.tasks();
      emission.scratchBytes = packed.scratchBytes();
      return emission;
    }
    auto tiles = TileShape::of(map, shape.space, BodyEmitter::lanesFor(map, tier));
    emission.tasks = tiles ? tiles->tasks() : shape.tasks();
    emission.scratchBytes = RowCache(map, shape.length).bytes() + sumBytes(map, shape.length);
    return emission;
  }

  void emitRun(Operation *operation, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override {
    auto op = cast<kernel::MapOp>(operation);
    MapShape shape(op);
    unsigned outer = shape.space.rank() - 1;
    BodyEmitter body(e, op, pointers, shape.space);
    RowEmitter rows(e, op, body, pointers.scratch);
    PointVector nowhere;
    nowhere.dims.assign(outer + 1, e.index(0));
    body.pin(nowhere, ~uint64_t(0));
    if (PackedResults packed(op, e.tier); packed)
      return e.loop(begin, end, 1, [&](Value task) {
        packed.emit(e, body, pointers, task,
                    [&](Value row, Value from, Value to) { rows.emit({row}, from, to); });
      });
    auto tiles = TileShape::of(op, shape.space, body.lanes());
    if (!tiles && shape.segments == 1 && shape.length <= body.lanes()) // keeps a bias in registers
      body.pinVectors(rows.wholeRow(nowhere.dims), (uint64_t(1) << outer) - 1);
    forTasks(e, pointers.reductions, begin, end, [&](Value from, Value to) {
      if (tiles)
        emitTiles(e, op, body, *tiles, from, to);
      else if (shape.segments > 1)
        emitSegments(e, shape, rows, from, to);
      else
        emitRows(e, shape, rows, from, to);
    });
  }

  bool hasOwnCode(Operation *op, const Tier &tier) const override {
    auto map = cast<kernel::MapOp>(op);
    return CPUKernelLowering::hasOwnCode(op, tier) ||
           !PackedResults(map, tier).areLike({map, tiers()[unsigned(tier.kind) - 1]});
  }

  static void emitSegments(KernelEmitter &e, const MapShape &shape, RowEmitter &rows, Value begin,
                           Value end) {
    e.loop(begin, end, 1, [&](Value task) {
      Value from = e.mul(e.rem(task, shape.segments), shape.segment);
      Value to = e.min(e.add(from, shape.segment), e.index(shape.length));
      rows.emit(shape.outerAt(e, e.div(task, shape.segments)), from, to);
    });
  }
  static void emitRows(KernelEmitter &e, const MapShape &shape, RowEmitter &rows, Value begin,
                       Value end) {
    Value stop = e.min(e.mul(end, shape.rowsPerTask), e.index(shape.rows));
    e.loop(e.mul(begin, shape.rowsPerTask), stop, 1,
           [&](Value row) { rows.emit(shape.outerAt(e, row), e.index(0), e.index(shape.length)); });
  }
};
} // namespace

void cpu::addMapLowering(target::KernelRegistry &registry) {
  registry.add<kernel::MapOp, MapLowering>();
}
