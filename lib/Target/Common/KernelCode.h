// Numbering and sharing of kernels, and the functions that hold their code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_COMMON_KERNELCODE_H
#define LIB_TARGET_COMMON_KERNELCODE_H

#include "lib/Target/Common/LoopEmitter.h"
#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace ampc::target {

/// What the runtime has to know of a kernel's code.
struct KernelEmission {
  int64_t tasks = 1;        // [0, tasks) may run in any order and in parallel
  int64_t scratchBytes = 0; // per thread, aligned as buffers are
  int64_t finishTasks = 0;  // of a second function, which runs after all tasks; 0: there is none
};

/// Addresses of a kernel's operands, then its results, then (if getWorkspaceBytes() > 0) its
/// workspace.
struct KernelPointers {
  llvm::SmallVector<mlir::Value> operands, results;
  mlir::Value workspace, scratch;
};

/// A kernel whose code stands for that of all kernels with its number.
struct DistinctKernel {
  mlir::Operation *op;
  /// Whether the others may read from other starts: see `kernel::startsOf`.
  bool isMoved;

  /// A row of `kernel.functions` with these attributes, and `starts` if it is moved.
  mlir::Attribute describe(llvm::ArrayRef<mlir::NamedAttribute> attributes) const;
};
/// Gives every kernel op of the programs the number of its function (`kernel.function`); returns
/// one op per number. Kernels that differ in nothing but operands and places share one; those whose
/// tensors start where vectors are not aligned share none with others, if `knowsAlignment`. Many
/// kernels that differ in the starts of their inputs alone share one, too: slices of a sequence by
/// time, whose code is the same at another address.
llvm::SmallVector<DistinctKernel> shareKernels(mlir::ModuleOp module, bool knowsAlignment = false);
/// What symbols of the module's kernels begin with: `given`, or the model's name.
std::string symbolPrefix(mlir::ModuleOp module, llvm::StringRef given);
/// The nested module @tier_NAME with the functions of a tier; made if missing.
mlir::ModuleOp tierModule(mlir::ModuleOp module, llvm::StringRef tier);
/// void (ptr operands, i64 begin, i64 end, ptr scratch), with an empty entry block.
mlir::LLVM::LLVMFuncOp createKernelFunction(mlir::ModuleOp code, mlir::Location loc,
                                            llvm::StringRef symbol);
/// What the first and the last argument of such a function lead to.
KernelPointers loadPointers(mlir::Operation *kernel, LoopEmitter &e, mlir::LLVM::LLVMFuncOp func);
/// A row of `kernel.functions`: the kernel's code in every tier of the target, and the name of the
/// tier whose function each of them runs.
mlir::Attribute describeKernel(const DistinctKernel &kernel, llvm::StringRef name,
                               llvm::ArrayRef<KernelEmission> emissions,
                               llvm::ArrayRef<llvm::StringRef> tiers);

} // namespace ampc::target
#endif
