// The dialect, including op families with separate headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_FAMILIES_H
#define MLIR_DIALECTS_TRAIN_FAMILIES_H

#include "mlir/IR/DialectRegistry.h"

namespace ampc {
/// For whatever reads or writes models.
void registerTrainDialect(mlir::DialectRegistry &registry);
void loadTrainDialect(mlir::MLIRContext &context);
} // namespace ampc
#endif
