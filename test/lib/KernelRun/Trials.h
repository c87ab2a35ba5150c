// Products in every way that is worth a measurement.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_LIB_KERNELRUN_TRIALS_H
#define TEST_LIB_KERNELRUN_TRIALS_H

#include "ampc/Target/Target.h"

namespace ampc::test {

/// A program with each kernel that forms a product becomes one for each way; others go.
mlir::LogicalResult makeTrials(mlir::ModuleOp module, const Target &target);
/// What they are and how they are launched, one line each, for bench/gpu/gpu-tune.c; then "code"
/// and PTX.
mlir::LogicalResult printTrials(mlir::ModuleOp module, const Target &target);

} // namespace ampc::test
#endif
