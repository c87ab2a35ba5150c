// Sizes and values of inputs by options.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_INPUTOPTIONS_H
#define LIB_IMPORT_ONNX_INPUTOPTIONS_H

#include "ampc/Import/ONNX.h"
#include "lib/Import/ONNX/Wire.h"

namespace ampc::onnx {
/// Gives inputs the sizes of `shapes`; an input of `inputs` becomes a constant.
llvm::Error applyInputOptions(Model &model, const ImportOptions &options);
} // namespace ampc::onnx
#endif
