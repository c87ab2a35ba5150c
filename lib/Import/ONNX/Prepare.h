// Rewrites of a file's graph before import.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_PREPARE_H
#define LIB_IMPORT_ONNX_PREPARE_H

#include "lib/Import/ONNX/Wire.h"

namespace ampc::onnx {
/// Inlines local functions, and gives the graph the initializers of the module that was exported.
/// The importer and readers of initializers both call `prepare`, so that names and values agree.
/// Returns the error, or "".
std::string prepare(Model &model);
} // namespace ampc::onnx
#endif
