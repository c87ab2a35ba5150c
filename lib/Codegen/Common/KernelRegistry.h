// Kernel lowerings: plan, workspace and code of a kind of kernel op on a target, and their
// registry.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_COMMON_KERNELREGISTRY_H
#define LIB_CODEGEN_COMMON_KERNELREGISTRY_H

#include "lib/Codegen/Common/KernelCode.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace ampc::target {

/// One emission: the module that gets the functions, the start of their names such as "model_k0",
/// and the tiers wanted, in the order of Target::getTiers.
struct KernelRequest {
  mlir::ModuleOp module;
  std::string name;
  llvm::ArrayRef<llvm::StringRef> tiers;
};

/// Lowering of one kind of kernel op on one target. Stateless.
class KernelLowering {
public:
  virtual ~KernelLowering();
  /// The only search: stores the plan on the op, with parts of sums and bytes of the workspace. A
  /// plan that the op has is kept. Fails, after an error at the op, without code for that plan.
  /// Kinds of kernels without choices have no plan.
  virtual llvm::LogicalResult configure(mlir::Operation *op) const { return llvm::success(); }
  /// Checks that the op has a plan, for which there is code.
  virtual llvm::LogicalResult checkPlan(mlir::Operation *op) const { return llvm::success(); }
  /// Bytes of workspace that the code of the plan uses. A configured op has this size.
  virtual int64_t workspaceBytes(mlir::Operation *op) const { return 0; }
  /// Emits the functions of a kernel that `checkPlan` accepts, into a nested module per tier.
  /// Returns the kernel's row of `kernel.functions`; fails after an error at the op.
  virtual mlir::FailureOr<mlir::Attribute> emit(const DistinctKernel &kernel,
                                                const KernelRequest &request) const = 0;
};

/// Rejects modes of contractions, for targets without instructions for them, after an error at the
/// op: "expected a contraction in `type`, but got the mode [tf32, tf32] of GPUs".
llvm::LogicalResult rejectModes(KernelOpInterface op, llvm::StringRef type);

/// Rules of a target that hold for every kind of kernel.
struct KernelRules {
  /// Completes "has no code ", for example "for GPUs".
  llvm::StringLiteral target;
  /// Rejects a kernel, plain or nested, by its types and modes, after an error at the op.
  llvm::LogicalResult (*check)(KernelOpInterface op);
  /// Whether kernels read operands that kernel.pack wrote.
  bool readsPacked = false;
  /// See shareKernels.
  bool knowsAlignment = false;
};

/// Kernel lowerings of one target, by kernel op.
class KernelRegistry {
public:
  explicit KernelRegistry(const KernelRules &rules) : rules(rules) {}
  KernelRegistry(KernelRegistry &&) = default;
  template <typename Op, typename Lowering> void add() {
    add(Op::getOperationName(), std::make_unique<Lowering>());
  }
  void add(llvm::StringRef op, std::unique_ptr<KernelLowering> lowering) {
    lowerings[op] = std::move(lowering);
  }
  /// Null if no lowering is registered for this kind of op.
  const KernelLowering *find(mlir::Operation *op) const;
  /// See KernelLowering::configure; ops without a lowering have no plan.
  llvm::LogicalResult configure(mlir::Operation *op) const;
  /// Emits each distinct kernel of a module for `tiers`; symbols start with `prefix`, or with the
  /// model's name. Stores the table of functions as `kernel.functions`.
  llvm::LogicalResult emit(mlir::ModuleOp module, llvm::StringRef prefix,
                           llvm::ArrayRef<llvm::StringRef> tiers) const;

private:
  mlir::WalkResult checkOne(KernelOpInterface op) const;
  llvm::LogicalResult check(mlir::Operation *kernel) const;

  KernelRules rules;
  llvm::StringMap<std::unique_ptr<KernelLowering>> lowerings;
};

} // namespace ampc::target
#endif
