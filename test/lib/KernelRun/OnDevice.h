// The kernels of a file on a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TEST_LIB_KERNELRUN_ONDEVICE_H
#define TEST_LIB_KERNELRUN_ONDEVICE_H

#include "ampc/Codegen/Target.h"
#include "test/lib/KernelRun/Case.h"
#include <set>

namespace ampc::test {

/// The kernels of a module, in their order.
llvm::SmallVector<mlir::Operation *> kernelsOf(mlir::ModuleOp module);
/// PTX in place of a target's code; may run forever.
struct GivenText {
  std::string ptx;
  std::set<uint32_t> lines; ///< that ran
};
/// Runs kernels in the PTX interpreter and prints a line per kernel; false after a difference.
/// `allowed`: tolerance by kernel; null: not run. `same`: code of kernel i with equal bits, or
/// null. `text`: null: the target's code.
bool runOnDevice(mlir::ModuleOp module, const Target &target,
                 llvm::function_ref<double(mlir::Operation *)> allowed,
                 llvm::function_ref<std::optional<Code>(size_t)> same, GivenText *text = nullptr);

/// Runs kernels once and prints the interpreter's counters, a line per kernel.
bool countOnDevice(mlir::ModuleOp module, const Target &target);

} // namespace ampc::test
#endif
