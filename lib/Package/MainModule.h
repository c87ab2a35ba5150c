// The object beside the kernels: tables, C functions, runtime.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_MAINMODULE_H
#define LIB_PACKAGE_MAINMODULE_H

#include "lib/Package/ModelInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace ampc {
/// Only symbols that begin with the model's name are global, and functions among them are those of
/// the header.
llvm::Expected<std::unique_ptr<llvm::Module>> buildMainModule(llvm::ArrayRef<ModelInfo> targets,
                                                              llvm::LLVMContext &context);
/// The tables alone, for a process that has the runtime.
llvm::Expected<std::unique_ptr<llvm::Module>> buildTables(llvm::ArrayRef<ModelInfo> targets,
                                                          llvm::LLVMContext &context);
} // namespace ampc
#endif
