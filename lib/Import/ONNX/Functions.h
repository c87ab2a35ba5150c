// Functions that a file brings along, in the place of their calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_FUNCTIONS_H
#define LIB_IMPORT_ONNX_FUNCTIONS_H

#include "lib/Import/ONNX/Wire.h"

namespace ampc::onnx {
/// Newer exporters write layers as functions. Nothing, or what is wrong with them.
std::string expandFunctions(Model &model);
} // namespace ampc::onnx
#endif
