// Libraries of external ops: interface of the shared libraries that `--load=lib.so` accepts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PIPELINES_OPLIBRARY_H
#define AMPC_PIPELINES_OPLIBRARY_H

#include "ampc/Pipelines/OpLibraryABI.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// Description of a library. `abi` stays the first member, so that every version of ampc can read
/// the string and refuse the library.
struct OpLibraryInfo {
  const char *abi; ///< AMPC_OP_LIBRARY_ABI of the headers that the library was compiled with
  void (*registerDialects)(mlir::DialectRegistry &);
};

/// Reason against every library, defined by programs that link LLVM statically and share no LLVM
/// with a library. The error message is the reason followed by the library's path.
extern const char *const refusalOfOpLibraries __attribute__((weak));
/// Loads a library for the rest of the process. Contexts created later know its dialects.
llvm::Error loadOpLibrary(llvm::StringRef path);
llvm::Error loadOpLibraries(llvm::ArrayRef<std::string> paths);
/// Paths of the loaded libraries, in load order.
llvm::ArrayRef<std::string> getLoadedOpLibraries();
/// Adds the dialects of loaded libraries; called by registerDialects.
void registerLoadedDialects(mlir::DialectRegistry &registry);
} // namespace ampc

/// Entry point of a library, used once with all dialects: `AMPC_OP_LIBRARY(toy::ToyDialect)`.
/// Defines the function `ampcOpLibrary`, which `--load` looks up.
#define AMPC_OP_LIBRARY(...)                                                                       \
  extern "C" __attribute__((visibility("default"))) const ::ampc::OpLibraryInfo *ampcOpLibrary() { \
    static const ::ampc::OpLibraryInfo info = {                                                    \
        AMPC_OP_LIBRARY_ABI,                                                                       \
        [](::mlir::DialectRegistry &registry) { registry.insert<__VA_ARGS__>(); }};                \
    return &info;                                                                                  \
  }
#endif
