// Programs of a step by their role.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TRAIN_FINDPROGRAM_H
#define LIB_TRAIN_FINDPROGRAM_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// The program of `step` that has this role, such as the loss before autodiff and the gradients
/// after; null if no pass has made one. Names of programs mean nothing.
inline train::FuncOp findProgram(train::ModelOp model, train::Role role, train::StepOp step) {
  for (auto func : model.getOps<train::FuncOp>())
    if (func.is(role) && func.getStepName() == step.getSymName())
      return func;
  return {};
}
} // namespace ampc
#endif
