// The NVPTX targets: choices of each chip, lowering pipeline and PTX emission.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Codegen/NVPTX/Passes.h"
#include "lib/Codegen/Common/ConvPhases.h"
#include "lib/Codegen/Common/Lowering.h"
#include "lib/Codegen/NVPTX/NVPTXKernelLowering.h"
#include "lib/Codegen/NVPTX/PTXEmission.h"
#include "lib/Codegen/NVPTX/Target.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

using namespace mlir;
using namespace ampc;
using namespace ampc::nvptx;

namespace {
class NVPTXTarget : public Target {
public:
  explicit NVPTXTarget(const Chip &chip) : chip(chip), tier{chip.name, chip.tier} {}
  StringRef getName() const override { return chip.name; }
  /// Limits as on CPUs: parameters take no registers until loaded, bodies take some.
  std::optional<FusionLimits> getFusionLimits() const override { return FusionLimits{24, 340}; }
  bool readsChannelsFirst(Operation *convolution) const override {
    return target::hasFewChannels(convolution);
  }
  /// Alignment of TMA copies, and of the widest load of a thread.
  int64_t getRowAlignment() const override { return 16; }
  /// Rows per chunk of a chunked loss. A tile of a weight's gradient is accumulated in memory after
  /// each chunk's products, which on an H200 takes as long as the products of 1024 rows. For 32
  /// bits the CPU's number: equal chunks give equal sums, bit for bit.
  int64_t getScoreRows(Type element) const override {
    return element.getIntOrFloatBitWidth() == 16 ? 2048 : 512;
  }
  const target::KernelRegistry &getKernels() const override { return kernelRegistry(chip); }
  /// Alignment of cuMemAlloc.
  int64_t getAlignment() const override { return 256; }
  ArrayRef<TargetTier> getTiers() const override { return tier; }
  void registerDialects(DialectRegistry &registry) const override {
    target::registerLoweringDialects(registry);
    registry.insert<NVVM::NVVMDialect>();
    registerConvertNVVMToLLVMInterface(registry);
    registerNVVMDialectTranslation(registry);
  }
  void addTierLowering(OpPassManager &pm) const override {
    OpPassManager &code = pm.nest<ModuleOp>();
    // Before canonicalization, which would fold functions of constants.
    code.addPass(createNVPTXExpandMath());
    target::addLowering(code);
  }
  bool isDevice() const override { return true; }
  FailureOr<std::string> translateDevice(ModuleOp module) const override {
    return emitPTX(module, chip);
  }

private:
  const Chip &chip;
  TargetTier tier;
};
} // namespace

ArrayRef<const Target *> nvptx::getTargets() {
  static const SmallVector<std::unique_ptr<NVPTXTarget>> all = [] {
    SmallVector<std::unique_ptr<NVPTXTarget>> made;
    for (const Chip &chip : chips())
      made.push_back(std::make_unique<NVPTXTarget>(chip));
    return made;
  }();
  static const SmallVector<const Target *> pointers =
      llvm::map_to_vector(all, [](auto &target) -> const Target * { return target.get(); });
  return pointers;
}
