// Kernel emitters of NVPTX: a form per kind of kernel op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_FORMS_H
#define LIB_CODEGEN_NVPTX_FORMS_H

#include "lib/Codegen/NVPTX/DeviceCode.h"
#include "llvm/ADT/StringMap.h"

namespace ampc::nvptx {

/// Kernel emitter of a kind of kernel op.
struct Form {
  void (*emit)(mlir::Operation *op, DeviceCode &code);
  /// Stores the plan on the op, with split counts and workspace; null: no choice. Fails, after an
  /// error at the op, if the chip has no code for a plan that the op has.
  llvm::LogicalResult (*configure)(mlir::Operation *op, const Chip &chip) = nullptr;
  /// Bytes of workspace that the code needs; null: none.
  int64_t (*workspaceBytes)(mlir::Operation *op, const Chip &chip) = nullptr;
  /// Number of warps in the launch that writes the final results (LaunchShape::writesFinalResults);
  /// null or 0: no such launch.
  int64_t (*showingWarps)(mlir::Operation *op, const Chip &chip) = nullptr;
  /// Checks that the op has a plan for which the chip has code; null: kernels without plans.
  llvm::LogicalResult (*checkPlan)(mlir::Operation *op, const Chip &chip) = nullptr;
};
using Forms = llvm::StringMap<Form>;

/// Emitter of an op, for any shape and type; null for an unknown kind of kernel.
const Form *findForm(mlir::Operation *op);
/// Text for reports on a plain kernel: "plain: " and the reason against a faster kernel, if any.
std::string describePlain(llvm::StringRef reason);

// Registration of each family's forms.
void addProductForms(Forms &forms);
void addConvForms(Forms &forms);
void addMapForm(Forms &forms);
void addReduceForm(Forms &forms);
void addRowForms(Forms &forms);
void addCopyForms(Forms &forms);
void addTotalsForm(Forms &forms);
void addAttentionForms(Forms &forms);
void addAttentionGradForm(Forms &forms);

} // namespace ampc::nvptx
#endif
