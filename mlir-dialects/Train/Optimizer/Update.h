// Update op of one parameter, until kernel creation or train-expand-updates replaces the op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_OPTIMIZER_UPDATE_H
#define MLIR_DIALECTS_TRAIN_OPTIMIZER_UPDATE_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// The shape of a parameter in the type that rules compute in: f64 on f64, else f32.
inline mlir::RankedTensorType typeOfRule(mlir::Type param) {
  auto type = llvm::cast<mlir::RankedTensorType>(param);
  if (type.getElementType().isF64())
    return type;
  return type.clone(mlir::Float32Type::get(param.getContext()));
}
/// Half a unit in the last place as a share of the number, at the least: "2^-9" in bf16, "2^-12" in
/// f16.
inline std::string lostShareOf(mlir::FloatType element) {
  return "2^-" + std::to_string(element.getFPMantissaWidth() + 1);
}
} // namespace ampc

#define GET_OP_CLASSES
#include "mlir-dialects/Train/UpdateOps.h.inc"

namespace ampc {
/// For the registry of a program that reads models.
void registerUpdateOps(mlir::DialectRegistry &registry);
} // namespace ampc
#endif
