// Kernel lowerings of NVPTX: launches of device functions, per kind of kernel op and chip.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_NVPTXKERNELLOWERING_H
#define LIB_CODEGEN_NVPTX_NVPTXKERNELLOWERING_H

#include "lib/Codegen/Common/KernelRegistry.h"
#include "lib/Codegen/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Functions of the lowering of a kind of kernel op; see target::KernelLowering.
struct LoweringFunctions {
  void (*emit)(mlir::Operation *op, DeviceCode &code);
  /// Null: no choice.
  llvm::LogicalResult (*configure)(mlir::Operation *op, const Chip &chip) = nullptr;
  /// Null: no workspace.
  int64_t (*workspaceBytes)(mlir::Operation *op, const Chip &chip) = nullptr;
  /// Number of warps in the launch that writes the final results (LaunchShape::writesFinalResults);
  /// null or 0: no such launch.
  int64_t (*finalWarps)(mlir::Operation *op, const Chip &chip) = nullptr;
  /// Null: kernels without plans.
  llvm::LogicalResult (*checkPlan)(mlir::Operation *op, const Chip &chip) = nullptr;
};
/// By the name of the kernel op.
using LoweringTable = llvm::StringMap<LoweringFunctions>;

/// Lowering of a kind of kernel op for a chip, for any shape and type.
class NVPTXKernelLowering : public target::KernelLowering {
public:
  NVPTXKernelLowering(const LoweringFunctions &functions, const Chip &chip)
      : functions(functions), chip(chip) {}
  llvm::LogicalResult configure(mlir::Operation *op) const override {
    return functions.configure ? functions.configure(op, chip) : llvm::success();
  }
  llvm::LogicalResult checkPlan(mlir::Operation *op) const override {
    return functions.checkPlan ? functions.checkPlan(op, chip) : llvm::success();
  }
  int64_t workspaceBytes(mlir::Operation *op) const override {
    return functions.workspaceBytes ? functions.workspaceBytes(op, chip) : 0;
  }
  mlir::FailureOr<mlir::Attribute> emit(const target::DistinctKernel &kernel,
                                        const target::KernelRequest &request) const override;
  /// Adds the launches of a kernel, plain or nested, to `code`.
  void emitLaunches(mlir::Operation *op, DeviceCode &code) const { functions.emit(op, code); }
  int64_t finalWarps(mlir::Operation *op) const {
    return functions.finalWarps ? functions.finalWarps(op, chip) : 0;
  }

private:
  const LoweringFunctions functions;
  const Chip &chip;
};
const target::KernelRegistry &kernelRegistry(const Chip &chip);
/// Lowering of a kernel op; null if GPUs have no code for this kind of op.
const NVPTXKernelLowering *loweringOf(mlir::Operation *op, const Chip &chip);
/// Text for reports on a plain kernel: "plain: " and the reason against a faster kernel, if any.
std::string describePlain(llvm::StringRef reason);

// Registration of each family's lowerings.
void addProductLowering(LoweringTable &table);
void addConvLowering(LoweringTable &table);
void addMapLowering(LoweringTable &table);
void addMultiMapLowering(LoweringTable &table);
void addReduceLowering(LoweringTable &table);
void addRowLowering(LoweringTable &table);
void addCopyLowering(LoweringTable &table);
void addFusedReductionLowering(LoweringTable &table);
void addAttentionLowering(LoweringTable &table);
void addAttentionGradLowering(LoweringTable &table);

} // namespace ampc::nvptx
#endif
