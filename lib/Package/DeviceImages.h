// Device code in a library: PTX, and machine code (cubin) made by ptxas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_DEVICEIMAGES_H
#define LIB_PACKAGE_DEVICEIMAGES_H

#include "ampc/Package/Assembler.h"
#include "lib/Package/ModelInfo.h"

namespace ampc {
/// Assembles PTX -> machine code of `chip` ("sm_80"), or returns a cached result.
/// `noCache`: neither looks up nor keeps the result.
llvm::Expected<std::string> assemble(llvm::StringRef assembler, llvm::StringRef ptx,
                                     llvm::StringRef chip, bool noCache);

/// `assemble`, with errors reported at the tier's op.
llvm::FailureOr<std::string> assembled(mlir::ModuleOp tier, llvm::StringRef assembler,
                                       llvm::StringRef ptx, llvm::StringRef chip, bool noCache);

/// Images of a tier's PTX in the order in which the runtime tries the images. Warns at the module
/// if machine code was requested and no assembler exists.
llvm::FailureOr<std::vector<ImageInfo>> imagesOf(mlir::ModuleOp tier, const Target &target,
                                                 const PackageOptions &options);
} // namespace ampc
#endif
