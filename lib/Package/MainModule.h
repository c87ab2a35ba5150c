// Objects besides the kernels: C functions with the runtime, and tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_MAINMODULE_H
#define LIB_PACKAGE_MAINMODULE_H

#include "lib/Package/ModelInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace ampc {
/// Symbols of a model's table and of a model's device driver: one object defines the symbol, other
/// objects refer to the symbol.
std::string tableSymbol(const ModelInfo &model);
inline constexpr llvm::StringLiteral deviceSymbol = "ampc_rt_cuda";
/// Symbol of the initial values in the archive.
inline constexpr llvm::StringLiteral dataSymbol = "ampc.data";

/// Symbol of initial value number N of PackagedModel::values, e.g. ampc_value_0. The process that
/// loads the model defines the symbol: an address in the tables would be valid in one process only.
inline constexpr llvm::StringLiteral valuePrefix = "ampc_value_";
std::string valueSymbol(int64_t number);

/// Place of initial values that files hold: memory of this process, the archive, or a file.
enum class ValuesOfStates { InProcess, InArchive, BesideArchive };

/// Module with the model's C functions and the runtime. Only the functions of the header have
/// external linkage.
llvm::Expected<std::unique_ptr<llvm::Module>> buildMainModule(llvm::ArrayRef<ModelInfo> targets,
                                                              llvm::LLVMContext &context);
/// Constant data only, which grows with the model and needs no optimisation.
llvm::Expected<std::unique_ptr<llvm::Module>>
buildTables(llvm::ArrayRef<ModelInfo> targets, ValuesOfStates values, llvm::LLVMContext &context);
} // namespace ampc
#endif
