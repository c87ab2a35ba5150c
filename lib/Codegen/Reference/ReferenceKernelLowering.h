// Kernel lowerings of the reference target: a function of plain loops per kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_REFERENCE_REFERENCEKERNELLOWERING_H
#define LIB_CODEGEN_REFERENCE_REFERENCEKERNELLOWERING_H

#include "lib/Codegen/Common/KernelRegistry.h"
#include "lib/Codegen/Common/PlainLoops.h"

namespace ampc::reference {

using mlir::Type;
using mlir::Value;
using target::KernelPointers;
using target::LoopEmitter;

/// Functions of the lowering of a kernel op.
struct LoweringFunctions {
  void (*emit)(mlir::Operation *op, LoopEmitter &e, const KernelPointers &pointers);
  /// Bytes of scratch memory per thread; null: none.
  int64_t (*scratchBytes)(mlir::Operation *op);
};
/// By the name of the kernel op.
using LoweringTable = llvm::StringMap<LoweringFunctions>;

/// Lowering to plain loops; makes no choice.
class ReferenceKernelLowering : public target::KernelLowering {
public:
  explicit ReferenceKernelLowering(const LoweringFunctions &functions) : functions(functions) {}
  mlir::FailureOr<mlir::Attribute> emit(const target::DistinctKernel &kernel,
                                        const target::KernelRequest &request) const override;
  /// Emits the loops of a kernel, plain or nested.
  void emitLoops(mlir::Operation *op, LoopEmitter &e, const KernelPointers &pointers) const {
    functions.emit(op, e, pointers);
  }
  int64_t scratchBytes(mlir::Operation *op) const {
    return functions.scratchBytes ? functions.scratchBytes(op) : 0;
  }

private:
  const LoweringFunctions functions;
};
const target::KernelRegistry &kernelRegistry();
/// Lowering of a kernel op; null if the reference has no code for this kind of op.
const ReferenceKernelLowering *loweringOf(mlir::Operation *op);

// Registration of each family's lowerings.
void addFusedLowering(LoweringTable &table);
void addRowLowering(LoweringTable &table);
void addAttentionLowering(LoweringTable &table);
void addFusedReductionLowering(LoweringTable &table);

} // namespace ampc::reference
#endif
