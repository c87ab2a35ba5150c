// What GPUs choose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Target/NVPTX/Passes.h"
#include "lib/Target/Common/ConvPhases.h"
#include "lib/Target/Common/Lowering.h"
#include "lib/Target/NVPTX/DeviceText.h"
#include "lib/Target/NVPTX/Forms.h"
#include "lib/Target/NVPTX/Target.h"
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
  /// As CPUs: parameters take no registers until they are read, bodies some.
  std::optional<FusionLimits> getFusionLimits() const override { return FusionLimits{24, 340}; }
  bool readsChannelsFirst(Operation *convolution) const override {
    return target::hasFewChannels(convolution);
  }
  /// Of tensor copies, and of what a thread loads at once.
  int64_t getRowAlignment() const override { return 16; }
  /// A tile of a weight's gradient is added to in memory behind its products, which takes an H200
  /// as long as those of 1024 rows. In 32 bits the CPU's number: the parts of a sum, and so its
  /// bits, are the same.
  int64_t getScoreRows(Type element) const override {
    return element.getIntOrFloatBitWidth() == 16 ? 2048 : 512;
  }
  void configure(KernelOpInterface op) const override {
    if (const Form *form = findForm(op); form && form->configure)
      form->configure(op, chip);
  }
  /// As cuMemAlloc gives.
  int64_t getAlignment() const override { return 256; }
  ArrayRef<TargetTier> getTiers() const override { return tier; }
  void registerDialects(DialectRegistry &registry) const override {
    target::registerLoweringDialects(registry);
    registry.insert<NVVM::NVVMDialect>();
    registerConvertNVVMToLLVMInterface(registry);
    registerNVVMDialectTranslation(registry);
  }
  void addEmission(OpPassManager &pm, ArrayRef<std::string>) const override {
    KernelEmitNVPTXOptions options;
    options.chip = chip.name.str();
    pm.addPass(createKernelEmitNVPTX(options));
    OpPassManager &code = pm.nest<ModuleOp>();
    // First, since canonicalization would fold functions of constants.
    code.addPass(createNVPTXExpandMath());
    target::addLowering(code);
  }
  bool isDevice() const override { return true; }
  FailureOr<std::string> translateDevice(ModuleOp module) const override {
    return deviceText(module, chip);
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
