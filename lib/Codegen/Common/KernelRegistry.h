// Interface of kernel emitters that all targets share, and the registry of a target's emitters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_KERNELREGISTRY_H
#define LIB_CODEGEN_COMMON_KERNELREGISTRY_H

#include "lib/Codegen/Common/KernelCode.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace ampc::target {

/// Plans of one kind of kernel op: the members of a kernel emitter that do not depend on the code.
/// A target that makes no choice for the kind overrides none of them.
class KernelPlanner {
public:
  virtual ~KernelPlanner();
  /// The only search: stores the plan on the op, with parts of sums and bytes of the workspace. A
  /// plan that the op has is kept. Fails, after an error at the op, without code for that plan.
  virtual llvm::LogicalResult configure(mlir::Operation *op) const { return llvm::success(); }
  /// Checks that the op has a plan, for which there is code.
  virtual llvm::LogicalResult checkPlan(mlir::Operation *op) const { return llvm::success(); }
  /// Bytes of workspace that the code of the plan uses. A configured op has this size.
  virtual int64_t workspaceBytes(mlir::Operation *op) const { return 0; }
};

/// Kernel emitter of a target: plans, and `emit`, which adds the functions of an op to `Code`, the
/// target's collection of functions. Example: DeviceCode of GPUs, a function per launch.
template <typename Code> class KernelEmitterOf : public KernelPlanner {
public:
  /// Emits an op that `checkPlan` accepts.
  virtual void emit(mlir::Operation *op, Code &code) const = 0;
};

/// Kernel emitters of a target, by kernel op.
template <typename Emitter> class KernelRegistry {
public:
  template <typename Op, typename Derived, typename... Args> void add(Args &&...args) {
    emitters[Op::getOperationName()] = std::make_unique<Derived>(std::forward<Args>(args)...);
  }
  void add(llvm::StringRef op, std::unique_ptr<Emitter> emitter) {
    emitters[op] = std::move(emitter);
  }
  /// Null if no emitter is registered for this kind of op.
  const Emitter *find(mlir::Operation *op) const {
    auto found = emitters.find(op->getName().getStringRef());
    return found == emitters.end() ? nullptr : found->second.get();
  }
  /// See KernelPlanner::configure; ops without an emitter have no plan.
  llvm::LogicalResult configure(mlir::Operation *op) const {
    const Emitter *emitter = find(op);
    return emitter ? emitter->configure(op) : llvm::success();
  }

private:
  llvm::StringMap<std::unique_ptr<Emitter>> emitters;
};

/// Checks of a target before the emission of a kernel, in this order.
struct KernelChecks {
  /// Emitter of an op; null: the target has no code.
  llvm::function_ref<const KernelPlanner *(mlir::Operation *)> find;
  /// Completes "has no code ", for example "for GPUs".
  llvm::StringRef target;
  /// Further checks of the kernel and of kernels nested inside.
  llvm::function_ref<llvm::LogicalResult(KernelOpInterface)> check;
  /// Whether kernels read operands that kernel.pack wrote.
  bool readsPacked = false;
};
/// Checks the kernel and the kernels nested inside: an emitter, unpacked operands, the target's own
/// checks, the plan; then that the workspace suffices. Fails after an error at the op.
llvm::LogicalResult checkKernel(mlir::Operation *kernel, const KernelChecks &checks);

/// Emits each distinct kernel of a module by `emit`, which gets a name such as "model_k0" and
/// returns the row of the table; stores the table as `kernel.functions`.
llvm::LogicalResult
emitKernels(mlir::ModuleOp module, llvm::StringRef prefix, bool knowsAlignment,
            llvm::function_ref<mlir::FailureOr<mlir::Attribute>(const DistinctKernel &kernel,
                                                                llvm::StringRef name)>
                emit);

} // namespace ampc::target
#endif
