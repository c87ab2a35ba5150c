// Links an archive into the running process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/Loader.h"
#include "ampc/Runtime/Runtime.h"
#include "lib/Package/MainModule.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;
using namespace ampc;

LoadedModel::LoadedModel(std::unique_ptr<orc::LLJIT> jit) : jit(std::move(jit)) {}
LoadedModel::~LoadedModel() = default;

Expected<std::unique_ptr<LoadedModel>>
LoadedModel::load(StringRef tables, const MemoryBuffer &content, ArrayRef<NamedArray> values) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Expected<std::unique_ptr<orc::LLJIT>> jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  // Addresses of this process, to which the tables refer by name.
  orc::SymbolMap addresses;
  auto define = [&](const Twine &name, const void *address) {
    addresses[(*jit)->mangleAndIntern(name.str())] = {orc::ExecutorAddr::fromPtr(address),
                                                      JITSymbolFlags::Exported};
  };
  define(deviceSymbol, &ampc_rt_cuda);
  for (auto [number, value] : enumerate(values))
    define(valueSymbol(int64_t(number)), value.array.data);
  if (Error error = (*jit)->getMainJITDylib().define(orc::absoluteSymbols(std::move(addresses))))
    return std::move(error);
  Expected<std::unique_ptr<object::Archive>> archive =
      object::Archive::create(content.getMemBufferRef());
  if (!archive)
    return archive.takeError();
  Error problem = Error::success();
  for (const object::Archive::Child &child : (*archive)->children(problem)) {
    Expected<MemoryBufferRef> object = child.getMemoryBufferRef();
    if (!object)
      return object.takeError();
    if (Error error = (*jit)->addObjectFile(
            MemoryBuffer::getMemBufferCopy(object->getBuffer(), object->getBufferIdentifier())))
      return std::move(error);
  }
  if (problem)
    return std::move(problem);
  std::unique_ptr<LoadedModel> loaded(new LoadedModel(std::move(*jit)));
  Expected<void *> address = loaded->lookup(tables);
  if (!address)
    return address.takeError();
  loaded->values = values.vec();
  loaded->tables = static_cast<const ampc_model *>(*address);
  return loaded;
}

Expected<void *> LoadedModel::lookup(StringRef symbol) const {
  Expected<orc::ExecutorAddr> address = jit->lookup(symbol);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}
