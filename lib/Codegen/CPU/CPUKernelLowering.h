// Kernel lowerings of CPUs: tasks that threads share, and a function per tier.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_CPUKERNELLOWERING_H
#define LIB_CODEGEN_CPU_CPUKERNELLOWERING_H

#include "lib/Codegen/CPU/KernelEmitter.h"
#include "lib/Codegen/Common/KernelRegistry.h"

namespace ampc::cpu {

using target::KernelEmission;

class FusedReductions;

/// Addresses of a kernel's tensors, and its fused reductions, which see every element stored and
/// every task's begin and end.
struct KernelPointers : target::KernelPointers {
  FusedReductions *reductions = nullptr;
};

/// Lowering of one kind of kernel op, tier by tier. A tier whose code equals that of the tier below
/// (`hasOwnCode`) has no function.
class CPUKernelLowering : public target::KernelLowering {
public:
  /// Tasks and scratch memory, by the plan. Fails, with an error at the op, if the op cannot be
  /// emitted.
  virtual mlir::FailureOr<KernelEmission> plan(mlir::Operation *op, const Tier &tier) const = 0;
  mlir::FailureOr<mlir::Attribute> emit(const target::DistinctKernel &kernel,
                                        const target::KernelRequest &request) const final;
  /// Emits the tasks [begin, end), both of type index.
  virtual void emitRun(mlir::Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                       mlir::Value begin, mlir::Value end) const = 0;
  /// Emits the tasks [begin, end) of the finish; called if the emission has finish tasks.
  virtual void emitFinish(mlir::Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                          mlir::Value begin, mlir::Value end) const {}
  /// Tiers above AVX-512 differ from AVX-512 in matrix products only: a tier without own code runs
  /// the function of the next lower tier with own code.
  virtual bool hasOwnCode(mlir::Operation *op, const Tier &tier) const {
    return tier.kind <= TierKind::AVX512;
  }
  /// See Target::packsPerRun.
  virtual int64_t packsPerRun(mlir::Operation *op) const { return 1; }

private:
  void emitFunctions(mlir::Operation *op, const target::KernelRequest &request, const Tier &tier,
                     const KernelEmission &emission) const;
  void emitFunction(mlir::Operation *op, mlir::ModuleOp module, llvm::StringRef symbol,
                    const Tier &tier, bool isFinish) const;
};

// Every family of kernels registers its lowerings.
void addMapLowering(target::KernelRegistry &registry);
void addGemmLowering(target::KernelRegistry &registry);
void addConvLowering(target::KernelRegistry &registry);
void addConvFilterLowering(target::KernelRegistry &registry);
void addWinogradLowering(target::KernelRegistry &registry);
void addAttentionLowering(target::KernelRegistry &registry);
void addAttentionGradLowering(target::KernelRegistry &registry);
void addReduceLowering(target::KernelRegistry &registry);
void addRowLowering(target::KernelRegistry &registry);
void addAssembleLowering(target::KernelRegistry &registry);
void addPoolLowering(target::KernelRegistry &registry);
void addPackLowering(target::KernelRegistry &registry);
void addFusedReductionLowering(target::KernelRegistry &registry);
const target::KernelRegistry &kernelRegistry();
/// Lowering of a kernel op; null if CPUs have no code for this kind of op.
const CPUKernelLowering *loweringOf(mlir::Operation *op);

} // namespace ampc::cpu
#endif
