// Code generation: module of a chip -> PTX text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PTXEMISSION_H
#define LIB_CODEGEN_NVPTX_PTXEMISSION_H

#include "lib/Codegen/NVPTX/Chip.h"
#include "mlir/IR/BuiltinOps.h"

namespace ampc::nvptx {
/// Returns PTX. Fails with an error at the kernel if LLVM reports an error or the text calls a
/// function: a device has no library.
mlir::FailureOr<std::string> emitPTX(mlir::ModuleOp tier, const Chip &chip);
} // namespace ampc::nvptx
#endif
