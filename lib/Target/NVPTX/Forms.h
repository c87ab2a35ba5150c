// One form per kind of kernel op writes its launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_FORMS_H
#define LIB_TARGET_NVPTX_FORMS_H

#include "lib/Target/NVPTX/DeviceCode.h"
#include "llvm/ADT/StringMap.h"

namespace ampc::nvptx {

/// How one kind of kernel is written.
struct Form {
  void (*emit)(mlir::Operation *op, DeviceCode &code);
  /// Sets what the op leaves to the target; null: nothing.
  void (*configure)(mlir::Operation *op, const Chip &chip) = nullptr;
  /// Bytes that the code uses of the workspace; null: none.
  int64_t (*workspaceBytes)(mlir::Operation *op, const Chip &chip) = nullptr;
  /// Warps of the launch that shows results (LaunchShape::showsResults); null or 0: none does.
  int64_t (*showingWarps)(mlir::Operation *op, const Chip &chip) = nullptr;
};
using Forms = llvm::StringMap<Form>;

/// The form of any shape and type; null if nothing is known of this kind of kernel.
const Form *findForm(mlir::Operation *op);

// Each family adds its kinds.
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
