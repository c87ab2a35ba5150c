// Inlining of the file's local functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_FUNCTIONS_H
#define LIB_IMPORT_ONNX_FUNCTIONS_H

#include "lib/Import/ONNX/Wire.h"

namespace ampc::onnx {
/// Inlines local functions, as which newer exporters write layers. Returns "" or an error.
std::string expandFunctions(Model &model);
} // namespace ampc::onnx
#endif
