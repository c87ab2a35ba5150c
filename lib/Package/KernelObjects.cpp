// Kernels as separate objects named by content: a kernel shared by several models is compiled once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Package/KernelObjects.h"
#include "lib/Package/ObjectWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace ampc;

static std::string symbolOf(const llvm::Module &alone) {
  SmallVector<char, 0> bitcode;
  raw_svector_ostream os(bitcode);
  WriteBitcodeToFile(alone, os);
  XXH128_hash_t hash =
      xxh3_128bits(ArrayRef(reinterpret_cast<const uint8_t *>(bitcode.data()), bitcode.size()));
  return formatv("kernel_{0:x-16}{1:x-16}", hash.high64, hash.low64);
}

static void rename(ModelInfo &model, StringRef before, const std::string &after) {
  for (KernelInfo &kernel : model.kernels)
    for (CodeInfo &code : kernel.code)
      for (std::string *symbol : {&code.run, &code.finish})
        if (*symbol == before)
          *symbol = after;
}

/// Copies the functions in `wanted`, under the given names, with all local functions reachable from
/// there.
static std::unique_ptr<llvm::Module>
extract(const llvm::Module &code, const DenseMap<const GlobalValue *, std::string> &wanted) {
  ValueToValueMapTy values;
  std::unique_ptr<llvm::Module> copy = CloneModule(code, values, [&](const GlobalValue *global) {
    return wanted.contains(global) || global->hasLocalLinkage();
  });
  for (auto &[function, name] : wanted)
    cast<Function>(values[function])->setName(name);
  ModuleAnalysisManager analyses;
  GlobalDCEPass().run(*copy, analyses);
  return copy;
}

Expected<SmallVector<std::shared_ptr<const std::string>>>
ampc::compileKernels(const llvm::Module &code, ModelInfo &model, Sanitizer sanitizer,
                     CodeLevel level, KernelObjects &objects) {
  std::vector<std::string> symbols;
  DenseMap<const GlobalValue *, std::string> missing;
  for (const Function &function : code) {
    if (function.isDeclaration() || function.hasLocalLinkage())
      continue;
    std::unique_ptr<llvm::Module> alone = extract(code, {{&function, "kernel"}});
    alone->setModuleIdentifier("kernel");
    alone->setSourceFileName("kernel");
    std::string symbol = symbolOf(*alone);
    rename(model, function.getName(), symbol);
    symbols.push_back(symbol);
    if (objects.try_emplace(symbol).second)
      missing[&function] = symbol;
  }
  if (!missing.empty()) {
    auto written = writeObject(*extract(code, missing), sanitizer, Code::Kernels, level);
    if (!written)
      return written.takeError();
    auto object = std::make_shared<const std::string>(written->begin(), written->end());
    for (auto &[function, symbol] : missing)
      objects[symbol] = object;
  }
  SmallVector<std::shared_ptr<const std::string>> used;
  for (const std::string &symbol : symbols)
    if (!is_contained(used, objects[symbol]))
      used.push_back(objects[symbol]);
  return used;
}
