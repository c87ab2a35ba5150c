// Target decisions of CPUs. All sizes hold for every tier, so the memory plan does not depend on
// the tier that runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/CPU/Passes.h"
#include "lib/Codegen/CPU/CPUKernelLowering.h"
#include "lib/Codegen/CPU/Codegen.h"
#include "lib/Codegen/CPU/Conv/Winograd.h"
#include "lib/Codegen/CPU/Target.h"
#include "lib/Codegen/Common/ConvPhases.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
class CPUTarget : public Target {
public:
  StringRef getName() const override { return "cpu"; }
  /// 24 tensors, whose addresses still fit registers, and 400 instructions per point; longer bodies
  /// spill.
  std::optional<FusionLimits> getFusionLimits() const override { return FusionLimits{24, 400}; }
  bool readsChannelsFirst(Operation *convolution) const override {
    return target::hasFewChannels(convolution);
  }
  int64_t getWinogradTile(Operation *convolution, int64_t most) const override {
    return chooseWinogradTile(convolution, most);
  }
  /// Rows of a GEMM at which packing takes a twentieth of the time: AMX multiplies bf16 many times
  /// as fast as vectors multiply f32. Packed bf16 takes 2 bytes an element on all tiers, f16 on all
  /// but the last tier 4 like f32.
  std::optional<Packing> getPacking(Type element) const override {
    return element.isBF16() ? Packing{512, true} : Packing{64, false};
  }
  int64_t packedBytes(RankedTensorType matrix, kernel::Side side, unsigned depth) const override;
  int64_t packsPerRun(Operation *product) const override {
    const CPUKernelLowering *lowering = loweringOf(product);
    return lowering ? lowering->packsPerRun(product) : 1;
  }
  const target::KernelRegistry &getKernels() const override { return kernelRegistry(); }
  /// Bytes of a cache line, and of the widest vector.
  int64_t getAlignment() const override { return 64; }
  ArrayRef<TargetTier> getTiers() const override;
  void registerDialects(DialectRegistry &registry) const override {
    registerCodegenDialects(registry);
  }
  void addTierLowering(OpPassManager &pm) const override { buildCodegenPipeline(pm); }
};
} // namespace

/// Upper bound over all tiers: B panels have at most 32 lines, A panels at most 12 (32 for AMX); k
/// is padded to 16 pairs of 16-bit elements. f16, and a 16-bit A, take up to 4 bytes an element.
/// Example: bf16 B [k, n] = [100, 100] -> 128 lines x 128 points x 2 bytes.
int64_t CPUTarget::packedBytes(RankedTensorType matrix, kernel::Side side, unsigned depth) const {
  int64_t lines = matrix.getDimSize(1 - depth), points = matrix.getDimSize(depth);
  int64_t bits = matrix.getElementTypeBitWidth();
  bool isLeft = side == kernel::Side::lhs;
  bool isWidened = bits == 16 && (matrix.getElementType().isF16() || isLeft);
  int64_t bytes = isWidened ? 4 : bits / 8;
  if (isLeft)
    lines += 11;
  return llvm::alignTo(lines, lines > 16 ? 32 : 16) * llvm::alignTo(points, bits == 16 ? 32 : 1) *
         bytes;
}

ArrayRef<TargetTier> CPUTarget::getTiers() const {
  static const SmallVector<TargetTier> all = llvm::map_to_vector(
      tiers(), [](const Tier &tier) { return TargetTier{tier.name, int32_t(tier.kind)}; });
  return all;
}

const Target &cpu::getTarget() {
  static const CPUTarget target;
  return target;
}
