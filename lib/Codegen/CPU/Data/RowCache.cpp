// Costly values kept between the stages of a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/Data/RowCache.h"
#include "mlir-dialects/SourceWalk.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

/// Ops that the evaluation of `value` needs at every point, up to inputs and reductions.
static void collect(Value value, llvm::SmallSetVector<Value, 16> &cone) {
  SourceWalk().visit(value, [&](Value source) {
    Operation *def = source.getDefiningOp();
    return def && !isa<kernel::RowReduceOp>(def) && cone.insert(source);
  });
}

/// Costs more than a store and a load: about twenty instructions.
static bool isCostly(Value value) {
  Operation *def = value.getDefiningOp();
  return isa<math::ExpOp, math::LogOp, math::Log1pOp, math::TanhOp, math::ErfOp, math::SinOp,
             math::CosOp, math::PowFOp>(def);
}

// Upper bound of a row: vectors with sums have the 32-bit lane count even for elements of 8 bytes.
RowCache::RowCache(kernel::MapOp op, int64_t length)
    : rowBytes(alignUp(llvm::alignTo(length, mostLanes) * 8)) {
  constexpr int64_t mostBytes = 256 << 10; // stays in L2
  Block &body = op.getBody().front();
  auto stages = target::reductionsByStage(body);
  SmallVector<llvm::SmallSetVector<Value, 16>> cones(stages.size() + 1);
  for (auto [reductions, cone] : llvm::zip(stages, cones))
    for (kernel::RowReduceOp reduce : reductions)
      collect(reduce.getX(), cone);
  for (Value value : body.getTerminator()->getOperands())
    collect(value, cones.back());
  for (auto [stage, cone] : llvm::enumerate(cones))
    for (Value value : cone) {
      auto holds = [&](const auto &other) { return other.contains(value); };
      auto all = ArrayRef(cones);
      if (isCostly(value) && llvm::none_of(all.take_front(stage), holds) &&
          llvm::any_of(all.drop_front(stage + 1), holds) && bytes() + rowBytes <= mostBytes)
        values.push_back({value, unsigned(stage)});
    }
}

void RowCache::load(KernelEmitter &e, const BodyEmitter &body, Value scratch, unsigned stage,
                    const PointVector &run, BodyEmitter::Values &done) const {
  for (auto [i, entry] : llvm::enumerate(values))
    if (entry.stage < stage && !body.isKnown(entry.value))
      done[entry.value] = e.loadVector(e.offset(scratch, i * rowBytes), entry.value.getType(),
                                       run.dims.back(), run.lanes);
}
void RowCache::store(KernelEmitter &e, Value scratch, unsigned stage, const PointVector &run,
                     const BodyEmitter::Values &done) const {
  for (auto [i, entry] : llvm::enumerate(values))
    if (Value value = done.lookup(entry.value); value && entry.stage == stage)
      e.store(e.broadcast(value, run.lanes), e.offset(scratch, i * rowBytes), run.dims.back());
}
