// From the module of a chip to PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_DEVICETEXT_H
#define LIB_TARGET_NVPTX_DEVICETEXT_H

#include "lib/Target/NVPTX/Chip.h"
#include "mlir/IR/BuiltinOps.h"

namespace ampc::nvptx {
/// Fails, with an error, if the text calls a function: a device has no library.
mlir::FailureOr<std::string> deviceText(mlir::ModuleOp tier, const Chip &chip);
} // namespace ampc::nvptx
#endif
