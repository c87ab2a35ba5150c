// The code of devices as a library carries it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_DEVICEIMAGES_H
#define LIB_PACKAGE_DEVICEIMAGES_H

#include "lib/Package/ModelInfo.h"

namespace ampc {
/// Path of NVIDIA's assembler: in CUDA_HOME, PATH or a Python package of it; or nothing.
std::optional<std::string> findAssembler();

/// PTX as machine code of `chip` ("sm_80"), from the cache of earlier ones if it is there.
llvm::Expected<std::string> assemble(llvm::StringRef assembler, llvm::StringRef ptx,
                                     llvm::StringRef chip);

/// The same, with an error at the tier.
llvm::FailureOr<std::string> assembled(mlir::ModuleOp tier, llvm::StringRef assembler,
                                       llvm::StringRef ptx, llvm::StringRef chip);

/// What the model's library carries of a tier's PTX, the image to try first coming first. Warns at
/// the module where machine code was asked for and there is no assembler.
llvm::FailureOr<std::vector<ImageInfo>> imagesOf(mlir::ModuleOp tier, const Target &target,
                                                 DeviceImages wanted);
} // namespace ampc
#endif
