// From LLVM IR to object code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_OBJECTWRITER_H
#define LIB_PACKAGE_OBJECTWRITER_H

#include "ampc/Package/Package.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// What a module has beside data.
enum class Code { None, Kernels, Functions };

/// Optimises `module`, if it is more than data, and writes a relocatable ELF object for x86-64.
/// Modules of different contexts may be written in several threads.
llvm::Expected<llvm::SmallVector<char, 0>> writeObject(llvm::Module &module, Sanitizer sanitizer,
                                                       Code code);
} // namespace ampc
#endif
