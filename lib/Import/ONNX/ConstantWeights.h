// Weights in Constant nodes as initializers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_IMPORT_ONNX_CONSTANTWEIGHTS_H
#define LIB_IMPORT_ONNX_CONSTANTWEIGHTS_H

#include "lib/Import/ONNX/Wire.h"

namespace ampc::onnx {
/// Makes initializers of the graph from real tensors in Constant nodes and in initializers of
/// subgraphs, as Paddle2ONNX and spox write weights. An initializer has the name of the node's
/// output. PyTorch's exporters write every parameter as an initializer of the graph, so that
/// Constant nodes of their files stay constants.
void liftWeights(Model &model);
} // namespace ampc::onnx
#endif
