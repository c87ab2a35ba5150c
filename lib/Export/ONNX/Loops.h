// Exporter of loops, which needs the exporter of functions for the block of a round.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_EXPORT_ONNX_LOOPS_H
#define LIB_EXPORT_ONNX_LOOPS_H

#include "lib/Export/ONNX/Emitter.h"
#include "mlir-dialects/Train/Ops/Loops.h"

namespace ampc::exporting {
/// Writes a loop as a node Scan. `emitBlock` writes the nodes of the loop's block.
void emitScan(Emitter &e, train::ScanOp scan, llvm::function_ref<void(mlir::Block &)> emitBlock);
} // namespace ampc::exporting
#endif
