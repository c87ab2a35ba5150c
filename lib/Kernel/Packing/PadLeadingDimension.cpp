// Leading-dimension alignment: rows of intermediates are padded to the alignment of the target's
// copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/Target.h"
#include "ampc/Kernel/Passes.h"

namespace ampc {
#define GEN_PASS_DEF_KERNELPADLEADINGDIMENSION
#include "ampc/Kernel/Passes.h.inc"
} // namespace ampc

using namespace mlir;
using namespace ampc;

/// Smallest row in bytes to be padded; in shorter rows the added bytes weigh more than the
/// alignment.
static constexpr int64_t leastRowBytes = 512;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether the kernel accesses operands and results by indexing maps, so that padding stays
/// untouched.
static bool readsByMaps(Operation *op) {
  return isa<kernel::MapOp, kernel::GemmOp, kernel::ReduceOp>(op);
}

/// Padded length of the rows of `type` in elements, e.g. 1001 -> 1008 of bf16 at 16 bytes; 0 if no
/// padding pays.
static int64_t paddedLength(RankedTensorType type, int64_t alignment) {
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  if (type.getRank() < 2 || type.getEncoding() || !bytes || alignment % bytes)
    return 0;
  int64_t length = type.getShape().back(), padded = llvm::alignTo(length, alignment / bytes);
  bool isWorth = type.getNumElements() > length && length * bytes >= leastRowBytes;
  return isWorth && padded != length ? padded : 0;
}

/// Collects the value and all views of the memory with equal row length. Whether all consumers
/// access the value by indexing maps.
static bool findViewsOfMemory(Value value, SmallVectorImpl<Value> &shown) {
  shown.push_back(value);
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *consumer = use.getOwner();
    if (auto view = dyn_cast<kernel::ViewOp>(consumer))
      return typeOf(view->getResult(0)).getRank() >= 2 &&
             typeOf(view->getResult(0)).getShape().back() == typeOf(value).getShape().back() &&
             findViewsOfMemory(view->getResult(0), shown);
    if (auto reductions = dyn_cast<kernel::FusedReductionOp>(consumer)) {
      Block &launch = reductions.getLaunch().front();
      return use.getOperandNumber() < launch.getNumArguments() &&
             readsByMaps(reductions.getKernel()) &&
             findViewsOfMemory(launch.getArgument(use.getOperandNumber()), shown);
    }
    return readsByMaps(consumer);
  });
}

namespace {
struct KernelPadLeadingDimension
    : ampc::impl::KernelPadLeadingDimensionBase<KernelPadLeadingDimension> {
  void runOnOperation() override {
    const Target *target = targetOf(getOperation());
    if (!target)
      return signalPassFailure();
    int64_t alignment = target->getRowAlignment();
    for (auto program : getOperation().getOps<kernel::ProgramOp>())
      for (Operation &op : program.getBody().front())
        if (isa<kernel::MapOp, kernel::GemmOp>(op))
          for (OpResult result : op.getResults())
            pad(result, alignment);
  }

private:
  static void pad(OpResult result, int64_t alignment) {
    int64_t length = paddedLength(typeOf(result), alignment);
    SmallVector<Value> shown;
    if (!length || result.use_empty() || !findViewsOfMemory(result, shown))
      return;
    for (Value value : shown) {
      SmallVector<int64_t> shape(typeOf(value).getShape());
      shape.back() = length;
      value.setType(typeOf(value).clone(shape));
    }
  }
};
} // namespace
