// Links an archive into the running process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Package/Loader.h"
#include "ampc/Runtime/Runtime.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/TargetSelect.h"

using namespace llvm;
using namespace ampc;

LoadedModel::LoadedModel(std::unique_ptr<orc::LLJIT> jit) : jit(std::move(jit)) {}
LoadedModel::~LoadedModel() = default;

Expected<std::unique_ptr<LoadedModel>> LoadedModel::load(const PackagedModel &package) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Expected<std::unique_ptr<orc::LLJIT>> jit = orc::LLJITBuilder().create();
  if (!jit)
    return jit.takeError();
  // Device driver of the model's tables: defined by this process.
  orc::ExecutorSymbolDef device(orc::ExecutorAddr::fromPtr(&ampc_rt_cuda),
                                JITSymbolFlags::Exported);
  if (Error error = (*jit)->getMainJITDylib().define(
          orc::absoluteSymbols({{(*jit)->mangleAndIntern("ampc_rt_cuda"), device}})))
    return std::move(error);
  Expected<std::unique_ptr<object::Archive>> archive =
      object::Archive::create(package.archive->getMemBufferRef());
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
  Expected<void *> tables = loaded->lookup(package.tables);
  if (!tables)
    return tables.takeError();
  loaded->values = package.values;
  loaded->tables = static_cast<const ampc_model *>(*tables);
  return loaded;
}

Expected<void *> LoadedModel::lookup(StringRef symbol) const {
  Expected<orc::ExecutorAddr> address = jit->lookup(symbol);
  if (!address)
    return address.takeError();
  return address->toPtr<void *>();
}
