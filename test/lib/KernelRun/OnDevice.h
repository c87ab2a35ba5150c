// The kernels of a file on a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_LIB_KERNELRUN_ONDEVICE_H
#define TEST_LIB_KERNELRUN_ONDEVICE_H

#include "ampc/Target/Target.h"
#include "test/lib/KernelRun/Case.h"
#include <set>

namespace ampc::test {

/// The kernels of a module, in their order.
llvm::SmallVector<mlir::Operation *> kernelsOf(mlir::ModuleOp module);
/// PTX in place of what a target writes. It need not end.
struct GivenText {
  std::string ptx;
  std::set<uint32_t> lines; ///< that ran
};
/// Runs them in the interpreter of PTX, and prints a line for each; false after a difference.
/// `allowed`: how large the error of one may be; null: nothing is interpreted. `same`: code of
/// number i with the same results, bit for bit, or null. `text`: null: the target's.
bool runOnDevice(mlir::ModuleOp module, const Target &target,
                 llvm::function_ref<double(mlir::Operation *)> allowed,
                 llvm::function_ref<std::optional<Code>(size_t)> same, GivenText *text = nullptr);

/// Runs them once, and prints what the interpreter counts: one line a kernel.
bool countOnDevice(mlir::ModuleOp module, const Target &target);

} // namespace ampc::test
#endif
