// Kernel emitters: one template per kind of kernel op, found in a registry.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_KERNELTEMPLATE_H
#define LIB_CODEGEN_CPU_KERNELTEMPLATE_H

#include "lib/Codegen/CPU/KernelEmitter.h"
#include "lib/Codegen/Common/KernelRegistry.h"

namespace ampc::cpu {

using target::KernelEmission;

class Totals;

/// Addresses of a kernel's tensors, and its fused reductions, which see every element stored and
/// every task's begin and end.
struct KernelPointers : target::KernelPointers {
  Totals *totals = nullptr;
};

/// Function of a kernel with the tasks [begin, end), both of type index; or with tasks of the
/// finish.
struct TaskCode {
  KernelEmitter &e;
  const KernelPointers &pointers;
  mlir::Value begin, end;
  bool isFinish = false;
};

/// Emits the code of one kind of kernel op, tier by tier. Stateless. A tier whose code equals that
/// of the tier below (`hasOwnCode`) is not emitted.
class KernelTemplate : public target::KernelEmitterOf<TaskCode> {
public:
  /// Tasks and scratch memory, by the plan. Fails, with an error at the op, if the op cannot be
  /// emitted.
  virtual mlir::FailureOr<KernelEmission> plan(mlir::Operation *op, const Tier &tier) const = 0;
  void emit(mlir::Operation *op, TaskCode &code) const final;
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
};

using TemplateRegistry = target::KernelRegistry<KernelTemplate>;

// Every family of kernels registers its templates; Registry.cpp lists the families.
void addMapTemplates(TemplateRegistry &registry);
void addGemmTemplate(TemplateRegistry &registry);
void addConvTemplate(TemplateRegistry &registry);
void addConvFilterTemplate(TemplateRegistry &registry);
void addWinogradTemplates(TemplateRegistry &registry);
void addAttentionTemplate(TemplateRegistry &registry);
void addAttentionGradTemplate(TemplateRegistry &registry);
void addReduceTemplates(TemplateRegistry &registry);
void addRowTemplates(TemplateRegistry &registry);
void addAssembleTemplates(TemplateRegistry &registry);
void addPoolTemplates(TemplateRegistry &registry);
void addPackTemplate(TemplateRegistry &registry);
void addTotalsTemplate(TemplateRegistry &registry);
const TemplateRegistry &templateRegistry();

} // namespace ampc::cpu
#endif
