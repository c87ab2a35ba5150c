// From LLVM IR to object code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_OBJECTWRITER_H
#define LIB_PACKAGE_OBJECTWRITER_H

#include "ampc/Package/Package.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// Kind of code in a module: data only, kernels, or functions.
enum class Code { None, Kernels, Functions };

/// Optimizes `module` at `level`, unless the module is data only, and writes a relocatable x86-64
/// ELF object. Modules of different contexts may be written in several threads.
llvm::Expected<llvm::SmallVector<char, 0>> writeObject(llvm::Module &module, Sanitizer sanitizer,
                                                       Code code,
                                                       CodeLevel level = CodeLevel::Optimized);
} // namespace ampc
#endif
