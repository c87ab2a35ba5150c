// Code generation targets: everything that the compiler asks about a kind of processor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_CODEGEN_TARGET_H
#define AMPC_CODEGEN_TARGET_H

#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace ampc {
namespace target {
class KernelRegistry;
} // namespace target

/// Fusion limits: largest kernel of a target.
struct FusionLimits {
  unsigned tensors; ///< operands and results of a kernel
  unsigned body;    ///< scalar instructions of the kernel's body per point
};

/// Profitability of weight packing.
struct Packing {
  int64_t rows;   ///< rows of a product in which packing takes 5 % of the time
  bool isCompact; ///< whether a packed weight takes as many bytes as the weight, so that it may
                  ///< replace the weight
};

/// One tier of a target's code, such as an instruction set. The runtime picks the last tier that
/// the processor supports.
struct TargetTier {
  llvm::StringRef name; ///< name in AMPC_ISA, unique among all targets: "avx512"
  int32_t isa;          ///< number in the runtime (AMPC_TIER_...)
};

/// Stateless description of one kind of processor. From the phase `kernels` on, a module is
/// compiled for a single target, named by the attribute `kernel.target`.
class Target {
public:
  virtual ~Target();
  virtual llvm::StringRef getName() const = 0;

  // ---- Kernels
  /// Limits of fusion. Nothing: every op stays a kernel, and weights are not packed.
  virtual std::optional<FusionLimits> getFusionLimits() const { return std::nullopt; }
  /// Whether a convolution, or the gradient of its filter, reads an image [N, C, H, W] as fast as
  /// [N, H, W, C].
  virtual bool readsChannelsFirst(mlir::Operation *convolution) const { return false; }
  /// Winograd tile: outputs along each side (2 or 4, at most `most`) if this is faster than the
  /// direct convolution; else 0.
  virtual int64_t getWinogradTile(mlir::Operation *convolution, int64_t most) const { return 0; }
  /// Packing of weights of type `element`; nothing if products cannot read packed weights.
  virtual std::optional<Packing> getPacking(mlir::Type element) const { return std::nullopt; }
  /// Number of times that one run of a product packs its right side if two threads share the tasks.
  /// Other conversions of the right side count as their share of a pack's time.
  virtual int64_t packsPerRun(mlir::Operation *product) const { return 1; }
  /// Bytes of a matrix packed for one side of products that sum over its dimension `depth`.
  virtual int64_t packedBytes(mlir::RankedTensorType matrix, kernel::Side side,
                              unsigned depth) const {
    return kernel::byteSize(matrix);
  }
  /// Alignment in bytes of row starts in matrices between kernels, where rows can be padded.
  virtual int64_t getRowAlignment() const { return 1; }
  /// Smallest chunk of rows for chunked losses whose scores are a product of `element`. Small
  /// chunks lose, because accumulating the gradient of the weight takes longer than the products:
  /// for GPT-2 on a CPU, chunks of 512 rows take 2 % more time than a single pass, chunks of 256
  /// rows 7 %.
  virtual int64_t getScoreRows(mlir::Type element) const { return 512; }
  /// Lowerings of the target's kernel ops: plan, workspace and code of each.
  virtual const target::KernelRegistry &getKernels() const = 0;
  /// Sets the target-dependent attributes of an op: plan, split count of sums and workspace bytes.
  /// Fails, after an error at the op, if the target has no code for a plan that the op has.
  llvm::LogicalResult configure(KernelOpInterface op) const;

  // ---- Memory
  /// Alignment of buffers in bytes.
  virtual int64_t getAlignment() const = 0;

  // ---- Code
  /// Tiers, ordered from the weakest requirements to the strongest.
  virtual llvm::ArrayRef<TargetTier> getTiers() const = 0;
  /// Registers dialects and interfaces of the emission passes.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;
  /// Adds the passes after kernel-emit: nested module per tier (`kernel.tier`) -> LLVM dialect.
  virtual void addTierLowering(mlir::OpPassManager &pm) const = 0;
  /// Translates the nested module of a tier to host LLVM IR with the functions that the runtime
  /// calls. Null after an error. Threads may translate concurrently, each into its own context.
  virtual std::unique_ptr<llvm::Module> translate(mlir::ModuleOp tier,
                                                  llvm::LLVMContext &context) const;
  /// Whether kernels run on a device instead of the host. Rows of `kernel.functions` then have
  /// `launches` (#kernel.launch) in place of tasks, and the code of a tier is text.
  virtual bool isDevice() const { return false; }
  /// Device code (PTX) of the nested module of a tier. Fails, after an error, if the module calls a
  /// function that a device lacks.
  virtual mlir::FailureOr<std::string> translateDevice(mlir::ModuleOp tier) const;
};

/// Adds emission passes: planned module -> nested LLVM dialect module per tier (`kernel.tier`), and
/// `kernel.functions`. `tiers`: names of the tiers to emit; empty: all.
void addEmission(mlir::OpPassManager &pm, const Target &target, llvm::ArrayRef<std::string> tiers);
/// Target of a module by `kernel.target`, or the default target. Null, after an error at the
/// module, if the name is unknown.
const Target *targetOf(mlir::ModuleOp module);
/// Modules of a compilation, one per target: nested modules in order of preference, or the module
/// itself.
llvm::SmallVector<mlir::ModuleOp> targetModules(mlir::ModuleOp module);
/// Rounds `bytes` up to a multiple of the target's alignment: alignUp(100) = 128 for 64.
inline int64_t alignUp(const Target &target, int64_t bytes) {
  return llvm::alignTo(bytes, target.getAlignment());
}

} // namespace ampc
#endif
