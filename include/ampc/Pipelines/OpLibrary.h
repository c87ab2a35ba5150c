// Ops of other dialects, from shared libraries: what `--load=lib.so` expects of one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PIPELINES_OPLIBRARY_H
#define AMPC_PIPELINES_OPLIBRARY_H

#include "ampc/Pipelines/OpLibraryABI.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// What a library says about itself. `abi` stays the first member, so that any version of ampc can
/// read it and refuse the library.
struct OpLibraryInfo {
  const char *abi; ///< AMPC_OP_LIBRARY_ABI of the headers that it was compiled with
  void (*registerDialects)(mlir::DialectRegistry &);
};

/// Has every load below fail: a program that has LLVM in it shares none with a library of ops.
/// `reason` begins the message, and the library's path follows.
void refuseOpLibraries(const char *reason);
/// Loads a library for the rest of the process. Dialects are known to contexts made afterwards.
llvm::Error loadOpLibrary(llvm::StringRef path);
llvm::Error loadOpLibraries(llvm::ArrayRef<std::string> paths);
/// Paths of the libraries, in the order in which they were loaded.
llvm::ArrayRef<std::string> getLoadedOpLibraries();
/// Adds their dialects; registerDialects calls it.
void registerLoadedDialects(mlir::DialectRegistry &registry);
} // namespace ampc

/// Once per library, with its dialects: `AMPC_OP_LIBRARY(toy::ToyDialect)`. Defines the function
/// `ampcOpLibrary`, which `--load` looks for.
#define AMPC_OP_LIBRARY(...)                                                                       \
  extern "C" __attribute__((visibility("default"))) const ::ampc::OpLibraryInfo *ampcOpLibrary() { \
    static const ::ampc::OpLibraryInfo info = {                                                    \
        AMPC_OP_LIBRARY_ABI,                                                                       \
        [](::mlir::DialectRegistry &registry) { registry.insert<__VA_ARGS__>(); }};                \
    return &info;                                                                                  \
  }
#endif
