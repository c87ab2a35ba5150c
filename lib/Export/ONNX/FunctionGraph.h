// The graph of a function, calls included.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_EXPORT_ONNX_FUNCTIONGRAPH_H
#define LIB_EXPORT_ONNX_FUNCTIONGRAPH_H

#include "lib/Export/ONNX/Emitter.h"

namespace ampc::exporting {
/// Position of the batch in each argument; nothing for arguments without rows.
using BatchLayouts = llvm::ArrayRef<std::optional<BatchLayout>>;

/// Writes inputs, nodes and outputs of a function. `unrolls`: loops become several nodes per round
/// instead of a node Scan. Ops without nodes are faults of the emitter.
void emitFunction(Emitter &e, train::ModelOp model, train::FuncOp func, BatchLayouts layouts,
                  bool unrolls);
} // namespace ampc::exporting
#endif
