// A module's parameters as they were before an exporter joined or transposed them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_MODULE_H
#define LIB_IMPORT_ONNX_MODULE_H

#include "lib/Import/ONNX/Wire.h"

namespace ampc::onnx {
/// PyTorch's exporter keeps one initializer of several with equal values. Where it says which
/// parameter or buffer of the module a node is made from, and the file lacks that, the node gets an
/// initializer of its own, by that name. Weights of linear layers that it has transposed are there
/// as the module has them, too. Notes the parameters of which the file has nothing.
void restoreModule(Model &model);
} // namespace ampc::onnx
#endif
