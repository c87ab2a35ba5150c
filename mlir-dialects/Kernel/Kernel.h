// The kernel dialect: fused kernels, memory passes and the target unit of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_KERNEL_KERNEL_H
#define MLIR_DIALECTS_KERNEL_KERNEL_H

#include "mlir-dialects/Train/Train.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ampc {
class Target;
} // namespace ampc

namespace ampc::kernel {
/// Bytes of a tensor; i1 takes one byte per element.
int64_t byteSize(mlir::Type type);
/// Source of a chain of views: the value that owns the bytes.
mlir::Value throughViews(mlir::Value value);
/// Constraints of KernelOpInterface and FusedKernelOpInterface.
llvm::LogicalResult verifyKernel(mlir::Operation *op);
llvm::LogicalResult verifyFused(mlir::Operation *op);
} // namespace ampc::kernel

#include "mlir-dialects/Kernel/KernelEnums.h.inc"
#include "mlir-dialects/Kernel/KernelInterfaces.h.inc"

#include "mlir-dialects/Kernel/KernelDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "mlir-dialects/Kernel/KernelAttrs.h.inc"
#define GET_OP_CLASSES
#include "mlir-dialects/Kernel/KernelOps.h.inc"

namespace ampc::kernel {
/// Packed layout of a tensor; null for row-major memory.
PackedAttr packingOf(mlir::Type type);
/// Plans of a product's op, one per product; empty before kernel-configure and for other ops.
llvm::SmallVector<PlanAttr> plansOf(mlir::Operation *op);
/// Sets the plans of an op; several only for `kernel.conv`.
void setPlans(mlir::Operation *op, llvm::ArrayRef<PlanAttr> plans);
} // namespace ampc::kernel
#endif
