// Products in every way that is worth a measurement.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_LIB_KERNELRUN_TRIALS_H
#define TEST_LIB_KERNELRUN_TRIALS_H

#include "ampc/Codegen/Target.h"

namespace ampc::test {

/// Replaces a program per product kernel by a program per tile choice; erases other programs.
mlir::LogicalResult makeTrials(mlir::ModuleOp module, const Target &target);
/// Prints descriptions and launches of the trials, a line each, for bench/gpu/gpu-tune.c; then
/// "code" and PTX.
mlir::LogicalResult printTrials(mlir::ModuleOp module, const Target &target);

} // namespace ampc::test
#endif
