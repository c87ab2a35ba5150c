// Numbers kernels, shares code between equal kernels, and creates the functions of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_KERNELCODE_H
#define LIB_CODEGEN_COMMON_KERNELCODE_H

#include "lib/Codegen/Common/LoopEmitter.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace ampc::target {

/// Properties of a kernel's code that the runtime needs.
struct KernelEmission {
  int64_t tasks = 1;        // [0, tasks) may run in any order and in parallel
  int64_t scratchBytes = 0; // per thread, aligned as buffers are
  int64_t finishTasks = 0;  // of a second function, run after all tasks; 0: none
};

/// Addresses of a kernel's operands, then of its results, then (if getWorkspaceBytes() > 0) of its
/// workspace.
struct KernelPointers {
  llvm::SmallVector<mlir::Value> operands, results;
  mlir::Value workspace, scratch;
};

/// A kernel whose code represents all kernels of the same number.
struct DistinctKernel {
  mlir::Operation *op;
  /// Whether kernels of the number read at other starts than `op`: see `kernel::startsOf`.
  bool isMoved;

  /// Row of `kernel.functions` with `attributes`, and with `starts` if the kernel is moved.
  mlir::Attribute describe(llvm::ArrayRef<mlir::NamedAttribute> attributes) const;
};
/// Gives every kernel op of the programs a function number (`kernel.function`); returns an op per
/// number. Kernels that differ only in operands and buffers share a number, and so do kernels that
/// differ only in the starts of operands: slices of a sequence by time, d0 + 20 and d0 + 40, whose
/// code is the same at another address. With `knowsAlignment`, kernels with tensors or slices at
/// unaligned starts have numbers of their own.
llvm::SmallVector<DistinctKernel> shareKernels(mlir::ModuleOp module, bool knowsAlignment = false);
/// Prefix of the symbols of a module's kernels: `given`, or the model's name.
std::string symbolPrefix(mlir::ModuleOp module, llvm::StringRef given);
/// Nested module @tier_NAME that holds the functions of a tier; created if missing.
mlir::ModuleOp tierModule(mlir::ModuleOp module, llvm::StringRef tier);
/// Function `void (ptr operands, i64 begin, i64 end, ptr scratch)` with an empty entry block.
mlir::LLVM::LLVMFuncOp createKernelFunction(mlir::ModuleOp code, mlir::Location loc,
                                            llvm::StringRef symbol);
/// Loads the operand, result, workspace and scratch pointers from the first and last argument.
KernelPointers loadPointers(mlir::Operation *kernel, LoopEmitter &e, mlir::LLVM::LLVMFuncOp func);
/// Row of `kernel.functions`: the kernel's code in every tier of the target, and for each tier the
/// tier whose function runs.
mlir::Attribute describeKernel(const DistinctKernel &kernel, llvm::StringRef name,
                               llvm::ArrayRef<KernelEmission> emissions,
                               llvm::ArrayRef<llvm::StringRef> tiers);

} // namespace ampc::target
#endif
