// kernel.pack: a GEMM operand in the panel order of this tier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Codegen/CPU/CPUKernelLowering.h"
#include "lib/Codegen/CPU/Product/PackedSide.h"
#include "mlir-dialects/PackedFilter.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
class PackLowering : public CPUKernelLowering {
public:
  FailureOr<KernelEmission> plan(Operation *op, const Tier &tier) const override;
  void emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers, Value begin,
               Value end) const override;
  bool hasOwnCode(Operation *op, const Tier &tier) const override;
};
} // namespace

static RankedTensorType typeOf(Operation *op) {
  return cast<RankedTensorType>(op->getResult(0).getType());
}

bool PackLowering::hasOwnCode(Operation *op, const Tier &tier) const {
  return CPUKernelLowering::hasOwnCode(op, tier) ||
         !PackedSide(typeOf(op), tier).isLike({typeOf(op), tiers()[unsigned(tier.kind) - 1]});
}

FailureOr<KernelEmission> PackLowering::plan(Operation *op, const Tier &tier) const {
  PackedSide side(typeOf(op), tier);
  if (failed(side.checkSize(op, tier)))
    return failure();
  KernelEmission emission;
  emission.tasks = ceilDiv(side.panelCount(), side.panelsPerTask());
  return emission;
}

void PackLowering::emitRun(Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                           Value begin, Value end) const {
  PackedSide side(typeOf(op), e.tier);
  side.setMatrix(e, pointers.operands[0], kernel::matrixOf(typeOf(op))[1]);
  int64_t perTask = side.panelsPerTask();
  e.loop(e.mul(begin, perTask), e.min(e.mul(end, perTask), e.index(side.panelCount())), 1,
         [&](Value number) { side.packPanel(e, number, pointers.results[0]); });
}

void ampc::cpu::addPackLowering(target::KernelRegistry &registry) {
  registry.add<kernel::PackOp, PackLowering>();
}
