// Loops become their rounds in front of the conversion to kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PIPELINES_UNROLLLOOPS_H
#define LIB_PIPELINES_UNROLLLOOPS_H

#include <memory>

namespace mlir {
class Pass;
}

namespace ampc {
/// Unrolls all loops and simplifies the rounds. Changes nothing in a module without loops.
std::unique_ptr<mlir::Pass> createUnrollLoops();
} // namespace ampc
#endif
