// Attributes from text that is no part of a file: made from other text, or stored in an attribute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_TEXT_ATTRIBUTETEXT_H
#define MLIR_DIALECTS_TRAIN_TEXT_ATTRIBUTETEXT_H

#include "mlir/IR/Attributes.h"
#include <string>

namespace ampc {
/// The attribute, or null with the first error in `why`; no error is emitted.
mlir::Attribute parseAttributeText(llvm::StringRef text, mlir::MLIRContext *context,
                                   std::string &why);
} // namespace ampc
#endif
