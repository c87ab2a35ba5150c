// Compiled tiers in this process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/KernelRun/Loader.h"
#include "lib/Codegen/CPU/Codegen.h"
#include "lib/Package/ObjectWriter.h"
#include "test/lib/AmxEmulator/AmxEmulator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace ampc;
using namespace ampc::test;

static bool hostHas(StringRef feature) {
  static const llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  return host.lookup(feature);
}

bool test::isNative(const cpu::Tier &tier) {
  SmallVector<StringRef> needed;
  tier.features.split(needed, ',');
  for (StringRef feature : needed)
    if (!feature.contains("amx") && !hostHas(feature.drop_front()))
      return false;
  return !tier.hasAMX() || (tier.hasF16Tiles() ? hasNativeAmxF16() : hasNativeAmx());
}
bool test::canRun(const cpu::Tier &tier) {
  return isNative(tier) || (tier.hasAMX() && hostHas("avx2") && hostHas("f16c") && emulateAmx());
}

/// With emulated tiles, splits vectors wider than this processor's.
static void fitToHost(llvm::Function &function) {
  if (hostHas("avx512f") && hostHas("avx512bf16"))
    return;
  SmallVector<StringRef> features;
  function.getFnAttribute("target-features").getValueAsString().split(features, ',');
  llvm::erase_if(features, [](StringRef feature) {
    return feature.contains("avx512") && !hostHas(feature.drop_front());
  });
  function.addFnAttr("target-features", llvm::join(features, ","));
}

static llvm::Error listUndefined(StringRef object, std::vector<std::string> &names) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernels"));
  if (!file)
    return file.takeError();
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name)
      return llvm::joinErrors(flags.takeError(), name.takeError());
    if (*flags & llvm::object::SymbolRef::SF_Undefined && !name->empty())
      names.push_back(name->str());
  }
  llvm::sort(names);
  return llvm::Error::success();
}

llvm::Expected<SmallVector<char, 0>> test::compile(ModuleOp tierModule, bool forHost) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = cpu::translateTier(tierModule, context);
  if (!module)
    return llvm::createStringError("the module has no translation to LLVM IR");
  for (llvm::Function &function : *module) {
    function.setVisibility(llvm::GlobalValue::DefaultVisibility); // for look-up by name
    if (forHost)
      fitToHost(function);
  }
  return writeObject(*module, Sanitizer::None, Code::Kernels);
}

llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> test::load(ModuleOp tierModule,
                                                             std::vector<std::string> &calls) {
  llvm::Expected<SmallVector<char, 0>> object = compile(tierModule, /*forHost=*/true);
  if (!object)
    return object.takeError();
  if (llvm::Error failed = listUndefined(StringRef(object->data(), object->size()), calls))
    return std::move(failed);
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  char prefix = (*jit)->getDataLayout().getGlobalPrefix();
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  (*jit)->getMainJITDylib().addGenerator(std::move(*process));
  auto buffer = std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(*object), false);
  if (llvm::Error failed = (*jit)->addObjectFile(std::move(buffer)))
    return std::move(failed);
  return jit;
}

static constexpr char pattern = 0x5a;

GuardedBuffer::GuardedBuffer(int64_t bytes) {
  int64_t page = sysconf(_SC_PAGESIZE);
  mapped = llvm::alignTo(bytes, page) + 2 * page;
  mapping = static_cast<char *>(
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (mapping == MAP_FAILED)
    llvm::report_fatal_error("no memory");
  mprotect(mapping + mapped - page, page, PROT_NONE);
  std::memset(mapping, pattern, mapped - page);
  start = mapping + mapped - page - bytes;
}
GuardedBuffer::~GuardedBuffer() { munmap(mapping, mapped); }
bool GuardedBuffer::isIntact() const {
  return std::all_of(mapping, start, [](char byte) { return byte == pattern; });
}
