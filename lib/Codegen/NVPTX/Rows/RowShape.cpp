// Memory layout of the rows of a map, and dependences of the stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/Rows/RowShape.h"
#include "lib/Codegen/Common/Slices.h"
#include "mlir-dialects/SourceWalk.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Access;
using target::Body;

/// Collects the backward slice of `value` at a point, up to reductions and to `known`.
static void collect(Value value, RowShape::Cone &cone, Value known = {}) {
  SourceWalk().visit(value, [&](Value source) {
    return !isa_and_nonnull<kernel::RowReduceOp>(source.getDefiningOp()) && source != known &&
           cone.insert(source);
  });
}

RowShape::RowShape(kernel::MapOp op, target::IterationSpace given)
    : op(op), space(std::move(given)), last(space.rank() - 1), length(space.sizes.back()) {
  reductions = target::reductionsByStage(op.getBody().front());
  findUniform();
  for (unsigned k = 0; k < op->getNumResults(); ++k)
    if (space.results[k].dependsOn(last))
      varying.push_back(k);
  cones.resize(stages() + 1);
  for (auto [stage, cone] : llvm::enumerate(cones))
    for (Value root : rootsOf(stage))
      collect(root, cone);
  chooseVector();
}

/// Values that a stage computes at every point.
SmallVector<Value> RowShape::rootsOf(unsigned stage) const {
  SmallVector<Value> roots;
  kernel::MapOp map = op; // accessors are not const
  if (stage < stages())
    for (kernel::RowReduceOp reduce : reductions[stage])
      roots.push_back(reduce.getX());
  else
    for (unsigned k : varying)
      roots.push_back(map.getBody().front().getTerminator()->getOperand(k));
  return roots;
}

/// Offset of a run's points within a chunk, as multiples of the outer indices.
SmallVector<int64_t> RowShape::residuesOf(const Access &access) const {
  SmallVector<int64_t> all;
  for (unsigned dim = 0; dim < last; ++dim)
    all.push_back(space.sizes[dim] == 1 ? 0 : access.strides[dim] % vector);
  all.push_back(access.constant % vector);
  for (int64_t &residue : all)
    residue = (residue + vector) % vector;
  return all;
}

/// Points per chunk fill 16 bytes of the widest run. The phase is the first result's, else the
/// first input's.
void RowShape::chooseVector() {
  int64_t widest = 0;
  const Access *first = nullptr;
  SmallVector<Value> tensors;
  auto visit = [&](Value tensor, const Access &access) {
    if (access.residue || access.strideAlong(last) != 1)
      return;
    widest = std::max(widest, target::elementBytes(getElementTypeOrSelf(tensor)));
    tensors.push_back(tensor);
    if (!first)
      first = &access;
  };
  for (auto [tensor, access] : llvm::zip(op->getResults(), space.results))
    visit(tensor, access);
  for (auto [tensor, access] : llvm::zip(op->getOperands(), space.inputs))
    visit(tensor, access);
  if (!first)
    return;
  vector = std::min<int64_t>(8, 16 / widest);
  while (
      !llvm::all_of(tensors, [&](Value tensor) { return target::startsAligned(tensor, vector); }))
    vector /= 2;
  residues = residuesOf(*first);
}

bool RowShape::isContiguous(const Access &access) const {
  return !access.residue && access.strideAlong(last) == 1 &&
         (vector == 1 || residuesOf(access) == residues);
}
/// In the order of the body, so that sources come first.
void RowShape::findUniform() {
  Block &body = op.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (!space.inputs[argument.getArgNumber()].dependsOn(last))
      uniform.insert(argument);
  for (Operation &def : body)
    if (isa<kernel::RowReduceOp>(def) ||
        (!isa<kernel::RowIndexOp, kernel::LinearIndexOp>(def) &&
         llvm::all_of(def.getOperands(), [&](Value v) { return isUniform(v); })))
      uniform.insert(def.result_begin(), def.result_end());
}
bool RowShape::hasPhase() const {
  return llvm::any_of(residues, [](int64_t residue) { return residue != 0; });
}
Value RowShape::phase(DeviceEmitter &e, ArrayRef<Value> row) const {
  Value sum = e.index(residues.back());
  for (auto [dim, residue] : llvm::zip(row, residues))
    sum = e.add(sum, e.mul(e.rem(dim, vector), residue));
  return e.rem(sum, vector);
}

static bool isCostly(Value value) {
  Operation *def = value.getDefiningOp();
  return isa_and_nonnull<math::ExpOp, math::LogOp, math::Log1pOp, math::TanhOp, math::ErfOp,
                         math::SinOp, math::CosOp, math::PowFOp>(def);
}
SmallVector<Value> RowShape::kept() const {
  SmallVector<Value> values;
  for (const Cone &cone : ArrayRef(cones).drop_back())
    for (Value value : cone) {
      auto argument = dyn_cast<BlockArgument>(value);
      bool isWorthIt = argument ? isContiguous(argument) : isCostly(value) && !isUniform(value);
      auto needs = [&](const Cone &other) { return other.contains(value); };
      if (isWorthIt && llvm::count_if(cones, needs) > 1 && !llvm::is_contained(values, value))
        values.push_back(value);
    }
  return values;
}

bool RowShape::endsWith(Value input, Value value) const {
  auto first = llvm::find_if(cones, [&](const Cone &cone) { return cone.contains(value); });
  for (unsigned stage = first - cones.begin() + 1; stage < cones.size(); ++stage) {
    Cone cone;
    for (Value root : rootsOf(stage))
      collect(root, cone, value);
    if (cone.contains(input))
      return false;
  }
  return true;
}

void RowShape::defineUniform(DeviceEmitter &e, Body &body, ArrayRef<Value> row, unsigned stage,
                             Body::Values &known) const {
  SmallVector<Value> dims(row);
  dims.push_back(e.index(0));
  for (Value value : cones[stage])
    if (isUniform(value))
      body.evaluate(value, dims, known);
}

SmallVector<std::pair<unsigned, Value>> RowShape::uniformResults(DeviceEmitter &e, Body &body,
                                                                 ArrayRef<Value> row,
                                                                 Body::Values known) const {
  Operation *yield = body.block().getTerminator();
  SmallVector<Value> dims(row);
  dims.push_back(e.index(0));
  SmallVector<std::pair<unsigned, Value>> values;
  for (unsigned k = 0; k < yield->getNumOperands(); ++k)
    if (!llvm::is_contained(varying, k))
      values.push_back({k, body.evaluate(yield->getOperand(k), dims, known)});
  return values;
}
