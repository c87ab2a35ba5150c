// GPU code as separate files, for people and other tools.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/DeviceCode.h"
#include "ampc/Codegen/Target.h"
#include "ampc/Package/WriteFile.h"
#include "lib/Package/DeviceImages.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace ampc;

static StringRef suffixOf(DeviceCodeFormat form) {
  switch (form) {
  case DeviceCodeFormat::NVVM:
    return ".mlir";
  case DeviceCodeFormat::PTX:
    return ".ptx";
  case DeviceCodeFormat::Cubin:
    return ".cubin";
  }
  llvm_unreachable("all forms are handled");
}

static std::string printed(ModuleOp code) {
  std::string text;
  llvm::raw_string_ostream os(text);
  code.print(os);
  os << "\n";
  return text;
}

static FailureOr<std::string> codeOf(ModuleOp tier, const Target &target, DeviceCodeFormat form,
                                     bool noCache) {
  if (form == DeviceCodeFormat::NVVM)
    return printed(tier);
  FailureOr<std::string> ptx = target.translateDevice(tier);
  if (failed(ptx) || form == DeviceCodeFormat::PTX)
    return ptx;
  std::optional<std::string> assembler = findAssembler();
  if (!assembler)
    return tier.emitError() << "expected ptxas in CUDA_HOME, PATH or the Python package "
                               "nvidia-cuda-nvcc to make machine code, but there is none";
  return assembled(tier, *assembler, *ptx, target.getTiers().front().name, noCache);
}

static LogicalResult writeCode(ModuleOp module, StringRef path, StringRef code,
                               ArrayRef<std::string> inputs) {
  if (std::error_code error = llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path),
                                                                true, llvm::sys::fs::all_all))
    return module.emitError() << "cannot create " << llvm::sys::path::parent_path(path) << ": "
                              << error.message();
  if (llvm::Error error = checkOutputs(path.str(), inputs))
    return module.emitError() << llvm::toString(std::move(error));
  if (llvm::Error error = writeFile(path, code))
    return module.emitError() << "cannot write " << path << ": "
                              << llvm::toString(std::move(error));
  return success();
}

LogicalResult ampc::writeDeviceCode(ModuleOp module, DeviceCodeFormat form, StringRef name,
                                    StringRef folder, ArrayRef<std::string> inputs, bool noCache) {
  FailureOr<std::vector<ModelInfo>> models = readModels(module, name);
  if (failed(models))
    return failure();
  bool any = false;
  for (auto [part, model] : llvm::zip(targetModules(module), *models)) {
    StringRef tier = model.target->getTiers().front().name;
    auto code = part.lookupSymbol<ModuleOp>(("tier_" + tier).str());
    if (!model.target->isDevice() || !code)
      continue;
    any = true;
    FailureOr<std::string> text = codeOf(code, *model.target, form, noCache);
    SmallString<128> path(folder);
    llvm::sys::path::append(path, model.name + "." + tier + suffixOf(form));
    if (failed(text) || failed(writeCode(module, path, *text, inputs)))
      return failure();
  }
  if (!any)
    return module.emitError()
           << "expected a --target that is a GPU, since --emit writes code of GPUs";
  return success();
}
