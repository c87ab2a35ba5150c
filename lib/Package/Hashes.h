// Hashes of a model's state and plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_HASHES_H
#define LIB_PACKAGE_HASHES_H

#include "lib/Package/ModelInfo.h"
#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// `stateHash`, which a full resume depends on, and `planHash`, which equal bits depend on; of what
/// `info` has read of `model`.
void setHashes(mlir::ModuleOp module, train::ModelOp model, ModelInfo &info);
} // namespace ampc
#endif
