// GPU code in separate files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_DEVICECODE_H
#define AMPC_PACKAGE_DEVICECODE_H

#include "mlir/IR/BuiltinOps.h"

namespace ampc {
/// Form of the written code: LLVM and NVVM dialects as text, PTX, or machine code.
enum class DeviceCodeFormat { NVVM, PTX, Cubin };

/// Writes the code of every device target into `folder`, which is created if missing:
/// NAME.TIER.mlir, .ptx or .cubin, for example mlp.sm_90a.ptx. No file of `inputs` is overwritten.
/// Empty `name`: the name of the model. Precondition: the module has been through the phase `emit`.
/// Errors, at the module: no device target; no assembler for machine code.
/// `noCache`: as in PackageOptions.
llvm::LogicalResult writeDeviceCode(mlir::ModuleOp module, DeviceCodeFormat form,
                                    llvm::StringRef name, llvm::StringRef folder,
                                    llvm::ArrayRef<std::string> inputs, bool noCache);
} // namespace ampc
#endif
