// kernel.map: a thread for several neighbouring points, or several threads per row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"
#include "lib/Codegen/NVPTX/PointKernel.h"
#include "lib/Codegen/NVPTX/PointVectors.h"
#include "lib/Codegen/NVPTX/Rows/RowShape.h"
#include "lib/Codegen/NVPTX/TransposeMap.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::Body;
using target::IterationSpace;

/// Whether every point writes separate elements, so that points are independent.
static bool writesOwnElements(const IterationSpace &space) {
  for (unsigned dim = 0; dim < space.rank(); ++dim)
    for (const target::Access &access : space.results)
      if (space.sizes[dim] > 1 && !access.dependsOn(dim))
        return false;
  return true;
}

/// Neighbouring points per thread: as many as fill 16 bytes of the widest tensor that is contiguous
/// along the last dimension, if vectors of all such tensors are aligned. `why`: reason if the
/// result is 1.
static int64_t pointsPerThread(kernel::MapOp op, const IterationSpace &space, StringRef &why) {
  AlignedTensors runs(space, space.rank() - 1);
  runs.addInputs(op);
  runs.addResults(op);
  why = "no tensor has neighbours along the last dimension";
  int64_t widest = runs.widest();
  return widest ? runs.points(16 / widest, /*step=*/0, &why) : 1;
}

/// Strided inputs are loaded by each point separately.
void PointVectorKernel::readInputs(MutableArrayRef<Body::Values> known) {
  unsigned last = space.rank() - 1;
  for (auto [i, access] : llvm::enumerate(space.inputs)) {
    BlockArgument argument = op.getBody().getArgument(i);
    bool isRun = access.strideAlong(last) == 1;
    if (argument.use_empty() || scalars.contains(argument) || (access.dependsOn(last) && !isRun))
      continue;
    SmallVector<Value> run = e.loadVector(placeOf(pointers.operands[i], argument.getType(), access),
                                          argument.getType(), isRun ? points : 1);
    for (auto [point, values] : llvm::enumerate(known))
      values[argument] = run[isRun ? point : 0];
  }
}

void PointVectorKernel::write() {
  Body body(e, op, pointers, space);
  SmallVector<Body::Values> known(points, scalars);
  readInputs(known);
  SmallVector<SmallVector<Value>> yields(op->getNumResults());
  for (auto [i, values] : llvm::enumerate(known))
    for (auto [k, value] : llvm::enumerate(body.yields(dimsAt(i), values)))
      yields[k].push_back(value);
  for (auto [k, access] : llvm::enumerate(space.results)) {
    if (access.strideAlong(space.rank() - 1) == 1) {
      e.storeVector(yields[k], placeOf(pointers.results[k], yields[k].front().getType(), access));
      continue;
    }
    for (int64_t i = 0; i < points; ++i)
      body.store(k, yields[k][i], dimsAt(i));
  }
}

Body::Values nvptx::readScalars(kernel::MapOp op, DeviceEmitter &e, const KernelPointers &pointers,
                                const IterationSpace &space) {
  Body::Values scalars;
  for (BlockArgument argument : op.getBody().getArguments()) {
    const target::Access &access = space.inputs[argument.getArgNumber()];
    auto dims = llvm::seq<unsigned>(0, space.rank());
    if (argument.use_empty() ||
        llvm::any_of(dims, [&](unsigned dim) { return access.dependsOn(dim); }))
      continue;
    Value place = target::position(e, access, SmallVector<Value>(space.rank(), e.index(0)));
    scalars[argument] =
        e.loadScalar(pointers.operands[argument.getArgNumber()], argument.getType(), place);
  }
  return scalars;
}

int64_t nvptx::runsPerThread(int64_t runs, const Chip &chip) {
  constexpr int64_t residentThreads = 1024, most = 8;
  return std::clamp<int64_t>(runs / (chip.multiprocessors * residentThreads), 1, most);
}

/// The last vector along the last dimension may be partial: its points are computed singly.
static void emitPoints(kernel::MapOp op, DeviceCode &code, const IterationSpace &space,
                       int64_t points, StringRef why) {
  int64_t length = space.sizes.back();
  SmallVector<int64_t> runs(space.sizes);
  runs.back() = llvm::divideCeil(length, points);
  int64_t count = ShapedType::getNumElements(runs);
  if (count == 0)
    return;
  if (space.count(0, space.rank()) == 1)
    why = "the iteration domain has one point";
  code.describe(points > 1 ? llvm::Twine(points) + " points a thread" : "plain: " + why);
  LaunchShape shape;
  shape.threads = std::min<int64_t>(plainThreads, llvm::alignTo(count, 32));
  int64_t perThread = runsPerThread(count, code.chip), perBlock = perThread * shape.threads;
  shape.grid[0] = llvm::divideCeil(count, perBlock);
  shape.numbersPerThread = perThread;
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    Body::Values scalars = readScalars(op, e, pointers, space);
    auto writeAt = [&](Value number) {
      SmallVector<Value> dims = e.split(number, runs);
      Value first = dims.back() = e.mul(dims.back(), points);
      auto whole = [&] {
        PointVectorKernel{op, e, pointers, space, points, dims, scalars}.write();
      };
      if (length % points == 0)
        return whole();
      Value isWhole = e.less(first, e.index(length - points + 1));
      e.when(isWhole, whole);
      e.when(target::negate(e, isWhole), [&] {
        e.loop(first, e.index(length), 1, [&](Value i) {
          dims.back() = i;
          PointVectorKernel{op, e, pointers, space, 1, dims, scalars}.write();
        });
      });
    };
    Value start = e.add(e.mul(e.block(), perBlock), e.thread());
    e.loop(e.index(0), e.index(perThread), 1, [&](Value k) {
      Value number = e.add(start, e.mul(e.number(k), shape.threads));
      if (count % perBlock == 0)
        return writeAt(number);
      e.when(e.isBelow(number, count), [&] { writeAt(number); });
    });
  });
}

/// Whether rows that start at unaligned addresses are worth a block each, which cuts a row where
/// vectors are aligned.
static bool areWorthBlocks(const RowShape &shape) {
  return shape.hasPhase() && shape.length >= 512 && shape.rows() >= 64;
}

static void emitMap(Operation *operation, DeviceCode &code) {
  auto op = cast<kernel::MapOp>(operation);
  Block &block = op.getBody().front();
  IterationSpace space = IterationSpace::of(op);
  bool reduces = !block.getOps<kernel::RowReduceOp>().empty();
  bool isRows = reduces || !writesOwnElements(space);
  space.collapse(isRows || !block.getOps<kernel::RowIndexOp>().empty());
  std::optional<unsigned> cross = isRows ? std::nullopt : findTransposedDim(op, space);
  if (cross)
    return emitTransposeMap(op, code, space, *cross);
  RowShape shape(op, space);
  if (isRows)
    return fitsRowGroup(shape) ? emitRowGroups(shape, code) : emitRowBlocks(shape, code);
  StringRef why;
  int64_t points = pointsPerThread(op, space, why);
  if (points < shape.vector && areWorthBlocks(shape))
    emitRowBlocks(shape, code);
  else
    emitPoints(op, code, space, points, why);
}

void nvptx::addMapLowering(LoweringTable &table) {
  table[kernel::MapOp::getOperationName()] = {emitMap};
}
