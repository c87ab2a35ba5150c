// What CPUs choose: sizes that hold for every tier, so that memory does not depend on which one
// runs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Target/CPU/Passes.h"
#include "lib/Target/CPU/Codegen.h"
#include "lib/Target/CPU/Conv/Winograd.h"
#include "lib/Target/CPU/KernelTemplate.h"
#include "lib/Target/CPU/Target.h"
#include "lib/Target/Common/ConvPhases.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::cpu;

namespace {
class CPUTarget : public Target {
public:
  StringRef getName() const override { return "cpu"; }
  /// Addresses of more tensors than that do not fit registers; longer bodies spill.
  std::optional<FusionLimits> getFusionLimits() const override { return FusionLimits{24, 400}; }
  bool readsChannelsFirst(Operation *convolution) const override {
    return target::hasFewChannels(convolution);
  }
  int64_t getWinogradTile(Operation *convolution, int64_t most) const override {
    return chooseWinogradTile(convolution, most);
  }
  /// Tiles multiply bf16 many times as fast as vectors multiply f32. Packed bf16 takes 2 bytes a
  /// number on all tiers, f16 on all but the last as much as f32.
  std::optional<Packing> getPacking(Type element) const override {
    return element.isBF16() ? Packing{512, true} : Packing{64, false};
  }
  int64_t packedBytes(RankedTensorType matrix, kernel::Side side, unsigned depth) const override;
  void configure(KernelOpInterface op) const override {
    if (const KernelTemplate *writer = templateRegistry().find(op))
      writer->configure(op);
  }
  /// A cache line, and the widest vector.
  int64_t getAlignment() const override { return 64; }
  ArrayRef<TargetTier> getTiers() const override;
  void registerDialects(DialectRegistry &registry) const override {
    registerCodegenDialects(registry);
  }
  void addEmission(OpPassManager &pm, ArrayRef<std::string> tiers) const override {
    KernelEmitCPUOptions options;
    llvm::append_range(options.only, tiers);
    pm.addPass(createKernelEmitCPU(options));
    buildCodegenPipeline(pm);
  }
};
} // namespace

/// Panels of B have at most 32 lines, of A at most 12 (32 in tiles); steps are of 16 pairs of
/// 16-bit numbers. Elements of f16, and of 16-bit left sides, take up to 4 bytes.
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
