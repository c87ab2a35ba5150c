// The code of GPUs as files of their own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_DEVICECODE_H
#define AMPC_PACKAGE_DEVICECODE_H

#include "mlir/IR/BuiltinOps.h"

namespace ampc {
/// The dialects LLVM and NVVM as text, the driver's text, or machine code.
enum class DeviceForm { NVVM, PTX, Cubin };

/// Writes the code of every target that is a device into `folder`, which is made if missing, but
/// not over one of `inputs`: NAME.TIER.mlir, .ptx or .cubin; empty `name`: as the model. The module
/// is one behind `emit`. Errors, at the module: no such target, no assembler for machine code.
llvm::LogicalResult writeDeviceCode(mlir::ModuleOp module, DeviceForm form, llvm::StringRef name,
                                    llvm::StringRef folder, llvm::ArrayRef<std::string> inputs);
} // namespace ampc
#endif
