// Kernel emitters of NVPTX: a form per kind of kernel op and chip.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_FORMS_H
#define LIB_CODEGEN_NVPTX_FORMS_H

#include "lib/Codegen/Common/KernelRegistry.h"
#include "lib/Codegen/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// Functions of the kernel emitter of a kind of kernel op; see target::KernelEmitterOf.
struct FormFunctions {
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
using Forms = llvm::StringMap<FormFunctions>;

/// Kernel emitter of a kind of kernel op for a chip, for any shape and type.
class Form : public target::KernelEmitterOf<DeviceCode> {
public:
  Form(const FormFunctions &functions, const Chip &chip) : functions(functions), chip(chip) {}
  void emit(mlir::Operation *op, DeviceCode &code) const override { functions.emit(op, code); }
  llvm::LogicalResult configure(mlir::Operation *op) const override {
    return functions.configure ? functions.configure(op, chip) : llvm::success();
  }
  llvm::LogicalResult checkPlan(mlir::Operation *op) const override {
    return functions.checkPlan ? functions.checkPlan(op, chip) : llvm::success();
  }
  int64_t workspaceBytes(mlir::Operation *op) const override {
    return functions.workspaceBytes ? functions.workspaceBytes(op, chip) : 0;
  }
  int64_t finalWarps(mlir::Operation *op) const {
    return functions.finalWarps ? functions.finalWarps(op, chip) : 0;
  }

private:
  const FormFunctions functions;
  const Chip &chip;
};
/// Kernel emitters of a chip.
const target::KernelRegistry<Form> &formRegistry(const Chip &chip);
/// Text for reports on a plain kernel: "plain: " and the reason against a faster kernel, if any.
std::string describePlain(llvm::StringRef reason);

// Registration of each family's forms.
void addProductForms(Forms &forms);
void addConvForms(Forms &forms);
void addMapForm(Forms &forms);
void addMultiMapForm(Forms &forms);
void addReduceForm(Forms &forms);
void addRowForms(Forms &forms);
void addCopyForms(Forms &forms);
void addTotalsForm(Forms &forms);
void addAttentionForms(Forms &forms);
void addAttentionGradForm(Forms &forms);

} // namespace ampc::nvptx
#endif
