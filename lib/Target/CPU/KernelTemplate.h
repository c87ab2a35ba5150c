// One template per kind of kernel op writes its functions; the registry finds it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_KERNELTEMPLATE_H
#define LIB_TARGET_CPU_KERNELTEMPLATE_H

#include "lib/Target/CPU/KernelEmitter.h"
#include "lib/Target/Common/KernelCode.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace ampc::cpu {

using target::KernelEmission;

class Totals;

/// Addresses, and what is told of every element written, and of where tasks start and end.
struct KernelPointers : target::KernelPointers {
  Totals *totals = nullptr;
};

/// Writes the code of one kind of kernel op. Stateless: `plan` and the emitting functions derive
/// the same shape from (op, tier). A tier whose code does not differ from the one below says so and
/// is not emitted.
class KernelTemplate {
public:
  virtual ~KernelTemplate();
  /// What the op leaves to the target, and the workspace that this takes.
  virtual void configure(mlir::Operation *op) const {}
  /// Bytes that the code uses of the workspace. An op that was configured has as many.
  virtual int64_t workspaceBytes(mlir::Operation *op) const { return 0; }
  /// Fails, with an error at the op, if this op cannot be emitted.
  virtual mlir::FailureOr<KernelEmission> plan(mlir::Operation *op, const Tier &tier) const = 0;
  /// Runs tasks [begin, end), both of type index.
  virtual void emitRun(mlir::Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                       mlir::Value begin, mlir::Value end) const = 0;
  /// The same for the tasks of the finish; only called if the emission has one.
  virtual void emitFinish(mlir::Operation *op, KernelEmitter &e, const KernelPointers &pointers,
                          mlir::Value begin, mlir::Value end) const {}
  /// Tiers past AVX-512 differ from it in matrix products only: a tier without code of its own runs
  /// the function of the next one below that has some.
  virtual bool hasOwnCode(mlir::Operation *op, const Tier &tier) const {
    return tier.kind <= TierKind::AVX512;
  }
  /// See Target.
  virtual int64_t packsPerRun(mlir::Operation *op) const { return 1; }
};

class TemplateRegistry {
public:
  template <typename Op, typename Template> void add() {
    templates[Op::getOperationName()] = std::make_unique<Template>();
  }
  /// Null if no template is known for this kind of op.
  const KernelTemplate *find(mlir::Operation *op) const {
    auto it = templates.find(op->getName().getStringRef());
    return it == templates.end() ? nullptr : it->second.get();
  }

private:
  llvm::DenseMap<llvm::StringRef, std::unique_ptr<KernelTemplate>> templates;
};

// Each family of kernels adds its templates; Registry.cpp lists them.
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
