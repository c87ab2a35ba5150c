// Restoration of a module's parameters that an exporter merged or transposed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_RESTOREMODULE_H
#define LIB_IMPORT_ONNX_RESTOREMODULE_H

#include "lib/Import/ONNX/Wire.h"

namespace ampc::onnx {
/// PyTorch's exporter keeps one initializer for several of equal values. If the exporter notes name
/// a node's parameter or buffer, and the file lacks it, the node gets an initializer of that name.
/// Transposed weights of linear layers are restored to the module's order [out, in]. Also records
/// the parameters that the file lost.
void restoreModule(Model &model);
} // namespace ampc::onnx
#endif
