// Kernels as separate objects, named by content.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_KERNELOBJECTS_H
#define LIB_PACKAGE_KERNELOBJECTS_H

#include "ampc/Package/Package.h"
#include "lib/Package/ModelInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// Compiles the kernel functions of `code` that `objects` lacks, at `level`, into a single object,
/// entered under the symbol of every function, and renames the functions in `model` to these
/// symbols: `kernel_` and a hash of the function's LLVM IR. Returns the objects with all kernels of
/// `code`, without duplicates.
llvm::Expected<llvm::SmallVector<std::shared_ptr<const std::string>>>
compileKernels(const llvm::Module &code, ModelInfo &model, Sanitizer sanitizer, CodeLevel level,
               KernelObjects &objects);
} // namespace ampc
#endif
