// Kernel emitters of the reference target, by kernel op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_REFERENCE_WRITERS_H
#define LIB_CODEGEN_REFERENCE_WRITERS_H

#include "lib/Codegen/Common/PlainLoops.h"
#include "llvm/ADT/StringMap.h"

namespace ampc::reference {

using mlir::Type;
using mlir::Value;
using target::KernelPointers;
using target::LoopEmitter;

/// Emitter of one kernel op.
struct Writer {
  void (*emit)(mlir::Operation *op, LoopEmitter &e, const KernelPointers &pointers);
  /// Bytes of scratch memory per thread; null: none.
  int64_t (*scratchBytes)(mlir::Operation *op);
};
using Writers = llvm::StringMap<Writer>;
/// Emitter of a kernel op; null for an unknown op.
const Writer *findWriter(mlir::Operation *op);

// Registration of the emitters, by family.
void addFusedWriters(Writers &writers);
void addRowWriters(Writers &writers);
void addAttentionWriters(Writers &writers);
void addTotalsWriter(Writers &writers);

} // namespace ampc::reference
#endif
