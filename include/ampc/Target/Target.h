// What kernels are for: everything that the compiler asks of a kind of processor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TARGET_TARGET_H
#define AMPC_TARGET_TARGET_H

#include "mlir-dialects/Kernel/Kernel.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace ampc {

/// How much code the kernels of a target may hold.
struct FusionLimits {
  unsigned tensors; ///< operands and results of a kernel
  unsigned body;    ///< instructions of its body at a point
};

/// What it is worth to keep a weight in the order in which products read it.
struct Packing {
  int64_t rows;   ///< of products of which packing takes a twentieth of the time
  bool isCompact; ///< a packed weight takes as many bytes as the weight: it may take its place
};

/// A form of a target's code, such as an instruction set. The runtime picks the last one that the
/// processor runs.
struct TargetTier {
  llvm::StringRef name; ///< as AMPC_ISA names it; of no other tier of any target
  int32_t isa;          ///< what the runtime calls it (AMPC_TIER_...)
};

/// One object per kind of processor, without state. From the phase `kernels` on a module is for one
/// target, which the attribute `kernel.target` names.
class Target {
public:
  virtual ~Target();
  virtual llvm::StringRef getName() const = 0;

  // ---- Kernels
  /// Nothing: every op keeps a kernel of its own, and weights stay as they are.
  virtual std::optional<FusionLimits> getFusionLimits() const { return std::nullopt; }
  /// Whether a convolution, or its filter's gradient, reads an image as fast if its channels come
  /// first in memory.
  virtual bool readsChannelsFirst(mlir::Operation *convolution) const { return false; }
  /// Outputs along each side of the tiles (2 or 4, at most `most`) by which a convolution takes
  /// less time than tap by tap; 0 if there are none.
  virtual int64_t getWinogradTile(mlir::Operation *convolution, int64_t most) const { return 0; }
  /// Of a weight of `element`; nothing if products do not read packed ones.
  virtual std::optional<Packing> getPacking(mlir::Type element) const { return std::nullopt; }
  /// How often a run of a product packs its right side, if two threads share its tasks; or as many
  /// times the time of that it spends to bring it into another form.
  virtual int64_t packsPerRun(mlir::Operation *product) const { return 1; }
  /// Bytes of a matrix that is packed for a side of products which sum over its dimension `depth`.
  virtual int64_t packedBytes(mlir::RankedTensorType matrix, kernel::Side side,
                              unsigned depth) const {
    return kernel::byteSize(matrix);
  }
  /// Rows of a matrix between kernels start at multiples of so many bytes, where that is possible.
  virtual int64_t getRowAlignment() const { return 1; }
  /// Least rows of scores, the result of a product of `element`, that are made at a time. With few
  /// of them, adding to the gradient of a weight takes longer than the products: of GPT-2 512 rows
  /// take 2 % more time on a CPU than all rows at once, and 256 7 %.
  virtual int64_t getScoreRows(mlir::Type element) const { return 512; }
  /// Sets what the op leaves to the target: parts of sums, and bytes of the workspace.
  virtual void configure(KernelOpInterface op) const {}

  // ---- Memory
  /// Buffers start at multiples of this.
  virtual int64_t getAlignment() const = 0;

  // ---- Code
  /// In ascending order of what they need.
  virtual llvm::ArrayRef<TargetTier> getTiers() const = 0;
  /// Dialects and interfaces of the passes that write code.
  virtual void registerDialects(mlir::DialectRegistry &registry) const = 0;
  /// From a planned module to one with a nested module of LLVM dialect per tier (`kernel.tier`),
  /// and `kernel.functions`. `tiers`: names of those to write; empty: all.
  virtual void addEmission(mlir::OpPassManager &pm, llvm::ArrayRef<std::string> tiers) const = 0;
  /// Code of the host for such a nested module: functions that the runtime calls. Null after an
  /// error. Several threads may translate, each into a context of its own.
  virtual std::unique_ptr<llvm::Module> translate(mlir::ModuleOp tier,
                                                  llvm::LLVMContext &context) const;
  /// Whether kernels run on another processor than the program: then a row of `kernel.functions`
  /// has `launches` (#kernel.launch) in place of tasks, and a tier's code is text.
  virtual bool isDevice() const { return false; }
  /// The text for such a nested module. Fails, after an error, if it calls what a device lacks.
  virtual mlir::FailureOr<std::string> translateDevice(mlir::ModuleOp tier) const;
};

/// The target of a module, by `kernel.target`, or the first known one. Null, with an error at the
/// module, if there is none.
const Target *targetOf(mlir::ModuleOp module);
/// The modules of a compilation, one per target: nested ones, in order of preference, or the module
/// itself.
llvm::SmallVector<mlir::ModuleOp> targetModules(mlir::ModuleOp module);
/// `bytes`, rounded up to whole multiples of the alignment.
inline int64_t alignUp(const Target &target, int64_t bytes) {
  return llvm::alignTo(bytes, target.getAlignment());
}

} // namespace ampc
#endif
