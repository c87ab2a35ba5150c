// kernel.fused_reduction, a kernel with fused reductions: sums are formed at the stores if a launch
// writes the final results; otherwise a further launch reads the results again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/Common/Slices.h"
#include "lib/Codegen/NVPTX/FusedReductions.h"
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;
using target::tensorOf;

namespace {
class FusedReductionKernel {
public:
  FusedReductionKernel(kernel::FusedReductionOp op, const Chip &chip);
  void emit(DeviceCode &code);
  int64_t workspaceBytes() const { return offset + FusedReductions::workspaceBytes(op, parts); }
  int64_t countParts() const { return parts; }

private:
  /// Launch that reads results again: elements per vector, vectors in flight per thread, and
  /// threads per block.
  static constexpr int64_t ways = 4, together = 4, threads = 256;
  static int64_t blocksFor(kernel::FusedReductionOp op);
  KernelPointers pointersOfKernel(const KernelPointers &pointers);
  void addResult(DeviceEmitter &e, const KernelPointers &pointers, unsigned result);
  void emitAgain(DeviceCode &code, FusedReductions &reductions);

  kernel::FusedReductionOp op;
  KernelOpInterface kernel;
  unsigned results;
  bool shows = false;
  int64_t offset, parts; // offset: workspace bytes of the nested kernel; parts: partial sums per
                         // reduction
};
} // namespace

/// About 64 elements per thread, in at most 512 blocks.
int64_t FusedReductionKernel::blocksFor(kernel::FusedReductionOp op) {
  int64_t elements = 0;
  for (Value result : op.getKernel()->getResults())
    elements = std::max(elements, tensorOf(result).getNumElements());
  return std::clamp<int64_t>(llvm::divideCeil(elements, 64 * threads), 1, 512);
}

FusedReductionKernel::FusedReductionKernel(kernel::FusedReductionOp op, const Chip &chip)
    : op(op), kernel(op.getKernel()), results(kernel->getNumResults()),
      offset(llvm::alignTo(kernel.getWorkspaceBytes(), 64)), parts(blocksFor(op) * threads / 32) {
  const NVPTXKernelLowering *lowering = loweringOf(kernel, chip);
  int64_t warps = lowering ? lowering->finalWarps(kernel) : 0;
  shows = warps > 0;
  if (shows)
    parts = warps;
}

KernelPointers FusedReductionKernel::pointersOfKernel(const KernelPointers &pointers) {
  KernelPointers own = pointers;
  own.operands.clear();
  for (Value operand : op.getKernel()->getOperands())
    own.operands.push_back(pointers.operands[cast<BlockArgument>(operand).getArgNumber()]);
  own.results.truncate(results);
  return own;
}

/// Vectors of `ways` neighbours per thread, `together` in flight at a time; then the remaining
/// elements singly.
void FusedReductionKernel::addResult(DeviceEmitter &e, const KernelPointers &pointers,
                                     unsigned result) {
  Type tensor = kernel->getResult(result).getType(), type = getElementTypeOrSelf(tensor);
  int64_t count = target::startsAligned(op->getResult(result), ways) ? ways : 1;
  int64_t elements = cast<RankedTensorType>(tensor).getNumElements(), runs = elements / count;
  int64_t step = blocksFor(op) * threads, blocked = runs / (step * together) * step * together;
  Value own = e.position(e.globalThread(threads));
  auto load = [&](Value element, int64_t points) {
    return e.loadVector(e.address(pointers.results[result], type, element), type, points);
  };
  auto addRuns = [&](Value run, int64_t runs) {
    SmallVector<SmallVector<Value>> found;
    for (int64_t i = 0; i < runs; ++i)
      found.push_back(load(e.mul(e.add(run, i * step), count), count));
    for (const SmallVector<Value> &run : found)
      for (Value element : run)
        e.stored(result, element);
  };
  e.loop(own, e.index(blocked), step * together, [&](Value run) { addRuns(run, together); });
  e.loop(e.add(own, blocked), e.index(runs), step, [&](Value run) { addRuns(run, 1); });
  e.loop(e.add(own, runs * count), e.index(elements), step,
         [&](Value element) { e.stored(result, load(element, 1).front()); });
}

void FusedReductionKernel::emitAgain(DeviceCode &code, FusedReductions &reductions) {
  LaunchShape shape;
  shape.threads = threads;
  shape.grid[0] = blocksFor(op);
  shape.writesFinalResults = true;
  code.launch(shape, [&](DeviceEmitter &e, const KernelPointers &pointers) {
    for (unsigned k = 0; k < results; ++k)
      if (reductions.needs(k))
        addResult(e, pointers, k);
  });
}

void FusedReductionKernel::emit(DeviceCode &code) {
  FusedReductions reductions(op, offset, parts);
  auto same = [](const KernelPointers &all) { return all; };
  auto inside = [this](const KernelPointers &all) { return pointersOfKernel(all); };
  reductions.look(shows);
  code.within(inside, &reductions,
              [&] { loweringOf(kernel, code.chip)->emitLaunches(kernel, code); });
  if (!shows) {
    reductions.look(true);
    code.within(same, &reductions, [&] { emitAgain(code, reductions); });
  }
  if (!reductions.isDone())
    reductions.launchLast(code);
}

static LogicalResult configureFusedReduction(Operation *operation, const Chip &chip) {
  auto op = cast<kernel::FusedReductionOp>(operation);
  KernelOpInterface kernel = op.getKernel();
  if (failed(kernelRegistry(chip).configure(kernel)))
    return failure();
  FusedReductionKernel writer(op, chip);
  op.setParts(writer.countParts());
  op.setWorkspaceBytes(writer.workspaceBytes());
  return success();
}

void nvptx::addFusedReductionLowering(LoweringTable &table) {
  table[kernel::FusedReductionOp::getOperationName()] = {
      [](Operation *op, DeviceCode &code) {
        FusedReductionKernel(cast<kernel::FusedReductionOp>(op), code.chip).emit(code);
      },
      configureFusedReduction,
      [](Operation *op, const Chip &chip) {
        return FusedReductionKernel(cast<kernel::FusedReductionOp>(op), chip).workspaceBytes();
      }};
}
