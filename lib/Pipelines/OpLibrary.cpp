// Shared libraries with ops of other dialects.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Pipelines/OpLibrary.h"
#include "ampc/Support/Mistake.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace mlir;
using namespace ampc;

namespace {
struct Loaded {
  std::vector<std::string> paths;
  std::vector<const OpLibraryInfo *> libraries;
};
} // namespace

/// Loaded libraries, kept for the life of the process, as their code stays mapped.
static Loaded &loaded() {
  static Loaded all;
  return all;
}

llvm::Error ampc::loadOpLibrary(StringRef path) {
  if (&refusalOfOpLibraries)
    return mistake(refusalOfOpLibraries + (" " + path).str());
  std::string problem;
  auto library = llvm::sys::DynamicLibrary::getPermanentLibrary(path.str().c_str(), &problem);
  if (!library.isValid())
    return mistake("cannot load " + path + ": " + problem);
  auto *entry =
      reinterpret_cast<const OpLibraryInfo *(*)()>(library.getAddressOfSymbol("ampcOpLibrary"));
  if (!entry)
    return mistake("expected a library of ops (AMPC_OP_LIBRARY), but got " + path +
                   ", which has no function ampcOpLibrary");
  const OpLibraryInfo *info = entry();
  if (StringRef(info->abi) != AMPC_OP_LIBRARY_ABI)
    return mistake("expected a library of ops for " AMPC_OP_LIBRARY_ABI ", but got " + path +
                   " for " + info->abi + ": compile the library with the headers of this ampc");
  if (llvm::is_contained(loaded().libraries, info))
    return llvm::Error::success();
  loaded().paths.push_back(path.str());
  loaded().libraries.push_back(info);
  return llvm::Error::success();
}

llvm::Error ampc::loadOpLibraries(ArrayRef<std::string> paths) {
  for (const std::string &path : paths)
    if (llvm::Error error = loadOpLibrary(path))
      return error;
  return llvm::Error::success();
}

ArrayRef<std::string> ampc::getLoadedOpLibraries() { return loaded().paths; }

void ampc::registerLoadedDialects(DialectRegistry &registry) {
  for (const OpLibraryInfo *info : loaded().libraries)
    info->registerDialects(registry);
}
