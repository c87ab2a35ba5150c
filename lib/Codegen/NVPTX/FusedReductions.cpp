// Fused reductions: sums over a kernel's results, formed where the results are stored.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/NVPTX/FusedReductions.h"
#include "lib/Codegen/Common/Combine.h"
#include "mlir-dialects/SourceWalk.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

/// Index of the kernel's result whose elements a value of the body depends on; -1 if none.
static int findResult(Value value, unsigned results) {
  int found = -1;
  SourceWalk().visit(value, [&](Value source) {
    if (auto argument = dyn_cast<BlockArgument>(source))
      if (argument.getArgNumber() < results)
        found = std::max(found, int(argument.getArgNumber()));
    return true;
  });
  return found;
}

/// The counter has a cache line of its own; a partial sum takes 8 bytes for any type.
static constexpr int64_t counterBytes = 64, partBytes = 8;

FusedReductions::FusedReductions(kernel::FusedReductionOp op, int64_t offset, int64_t parts)
    : op(op), results(op.getKernel()->getNumResults()), offset(offset), parts(parts) {
  for (Value reduction : op.getBody().front().getTerminator()->getOperands())
    resultOf.push_back(findResult(reduction, results));
}
int64_t FusedReductions::workspaceBytes(kernel::FusedReductionOp op, int64_t parts) {
  return counterBytes + op.getNumReductions() * parts * partBytes;
}

Type FusedReductions::typeOf(unsigned reduction) const {
  return getElementTypeOrSelf(op->getResult(results + reduction));
}
Value FusedReductions::counter(DeviceEmitter &e, const KernelPointers &all) {
  return e.offset(all.workspace, offset);
}
Value FusedReductions::partsOf(DeviceEmitter &e, const KernelPointers &all, unsigned reduction) {
  return e.offset(all.workspace, offset + counterBytes + reduction * parts * partBytes);
}

void FusedReductions::begin(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
                            bool first) {
  if (first && !isSeen(shape))
    e.when(target::equal(e, e.globalThread(shape.threads), e.i32(0)),
           [&] { e.storeScalar(e.i32(0), counter(e, all), e.index(0)); });
  if (!isSeen(shape))
    return;
  unsigned inputs = op.getLaunch().getNumArguments();
  scalars.clear();
  for (BlockArgument argument : op.getBody().getArguments().drop_front(results))
    scalars.map(argument, e.loadScalar(all.operands[inputs + argument.getArgNumber() - results],
                                       argument.getType(), e.index(0)));
  sums.clear();
  for (unsigned t = 0; t < op.getNumReductions(); ++t) {
    sums.push_back(e.variable(typeOf(t)));
    e.assign(sums.back(), e.constant(typeOf(t), 0));
  }
  e.onStored = [this, &e](unsigned result, Value element) {
    if (needs(result))
      add(e, result, element);
  };
  e.onAllStored = [this, &e, all, shape](int64_t warps) { storeParts(e, all, shape, warps); };
}

/// Adds the terms of a single element to the thread's sums; shared subexpressions are computed once
/// for all reductions.
void FusedReductions::add(DeviceEmitter &e, unsigned result, Value element) {
  IRMapping known(scalars);
  known.map(op.getBody().getArgument(result), element);
  Block &body = op.getBody().front();
  for (Operation &bodyOp : body.without_terminator())
    if (llvm::all_of(bodyOp.getOperands(), [&](Value v) { return known.contains(v); }))
      e.b.clone(bodyOp, known);
  for (auto [t, of] : llvm::enumerate(resultOf))
    if (of == int(result)) {
      Value term = known.lookup(body.getTerminator()->getOperand(t));
      Value sum = e.read(sums[t], term.getType());
      e.assign(sums[t], combine(e, kernel::Combine::sum, sum, term));
    }
}

static Value sumOfWarp(DeviceEmitter &e, Value sum) {
  for (int64_t half = 16; half >= 1; half /= 2)
    sum = combine(e, kernel::Combine::sum, sum, e.shuffleDown(sum, e.i32(-1), half, 32));
  return sum;
}
static Value isFirstOfWarp(DeviceEmitter &e) {
  return target::equal(e, e.bitAnd(e.thread(), 31), e.i32(0));
}

void FusedReductions::storeParts(DeviceEmitter &e, const KernelPointers &all,
                                 const LaunchShape &shape, int64_t warps) {
  assert(shape.grid[0] * warps == parts && "expected as many parts as the form has said");
  Value warp = e.add(e.mul(e.block(), warps), e.div(e.thread(), 32));
  SmallVector<Value> found;
  for (auto [t, sum] : llvm::enumerate(sums))
    found.push_back(sumOfWarp(e, e.read(sum, typeOf(t))));
  e.when(isFirstOfWarp(e), [&] {
    for (auto [t, sum] : llvm::enumerate(found))
      e.storeScalar(sum, partsOf(e, all, t), e.position(warp));
  });
}

/// Whether this block is the last to store partial sums, the same answer for all threads of the
/// block; if so, the partial sums of all blocks are visible.
Value FusedReductions::isLast(DeviceEmitter &e, const KernelPointers &all, int64_t blocks) {
  e.syncBlock();
  Value flag = e.sharedMemory();
  e.when(target::equal(e, e.thread(), e.i32(0)), [&] {
    e.fence();
    Value before = e.increment(counter(e, all));
    e.fence();
    e.storeScalar(before, flag, e.index(0));
  });
  e.syncBlock();
  return target::equal(e, e.loadScalar(flag, e.b.getI32Type(), e.index(0)), e.i32(blocks - 1));
}

/// Final sum of a reduction by a block: thread t adds partial sums t, t + threads, ..., so that a
/// warp reads neighbours; then a tree reduction within each warp, and the first thread adds the
/// warps' sums.
void FusedReductions::addUp(DeviceEmitter &e, const KernelPointers &all, unsigned reduction,
                            int64_t threads) {
  Type type = typeOf(reduction);
  Value from = partsOf(e, all, reduction), first = e.position(e.thread());
  Value sum = e.loop(first, e.index(parts), threads, e.constant(type, 0),
                     [&](Value part, ValueRange soFar) -> SmallVector<Value> {
                       Value x = e.loadScalar(from, type, part);
                       return {combine(e, kernel::Combine::sum, soFar[0], x)};
                     })[0];
  sum = sumOfWarp(e, sum);
  e.when(isFirstOfWarp(e),
         [&] { e.storeScalar(sum, e.sharedMemory(), e.position(e.div(e.thread(), 32))); });
  e.syncBlock();
  e.when(target::equal(e, e.thread(), e.i32(0)), [&] {
    Value whole = e.loadScalar(e.sharedMemory(), type, e.index(0));
    for (int64_t warp = 1; warp < threads / 32; ++warp)
      whole = combine(e, kernel::Combine::sum, whole,
                      e.loadScalar(e.sharedMemory(), type, e.index(warp)));
    e.storeScalar(whole, all.results[results + reduction], e.index(0));
  });
}

int64_t FusedReductions::sharedBytes(const LaunchShape &shape) {
  return isSeen(shape) ? shape.threads / 32 * partBytes : 0;
}

void FusedReductions::end(DeviceEmitter &e, const KernelPointers &all, const LaunchShape &shape,
                          bool first) {
  if (!isSeen(shape))
    return;
  e.allStored(shape.threads / 32);
  if (first)
    return;
  done = true;
  auto addAll = [&] {
    for (unsigned t = 0; t < op.getNumReductions(); ++t) {
      e.syncBlock(); // shared memory is reused
      addUp(e, all, t, shape.threads);
    }
  };
  if (shape.grid[0] == 1)
    return addAll();
  e.when(isLast(e, all, shape.grid[0]), addAll);
}

void FusedReductions::launchLast(DeviceCode &code) {
  LaunchShape shape;
  shape.grid[0] = op.getNumReductions();
  shape.threads = 256;
  shape.sharedBytes = shape.threads / 32 * partBytes;
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &all) {
    for (unsigned t = 0; t < op.getNumReductions(); ++t)
      e.when(target::equal(e, e.block(), e.i32(t)), [&] { addUp(e, all, t, shape.threads); });
  });
}
