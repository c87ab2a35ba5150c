// Hashes of a model's state and plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_HASHES_H
#define LIB_PACKAGE_HASHES_H

#include "lib/Package/ModelInfo.h"
#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// Sets `stateHash` (required for a full resume) and `planHash` (required for equal bits) from the
/// fields of `info` that were read from `model`.
void setHashes(mlir::ModuleOp module, train::ModelOp model, ModelInfo &info);
} // namespace ampc
#endif
