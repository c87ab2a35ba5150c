// Which loops write which kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_REFERENCE_WRITERS_H
#define LIB_TARGET_REFERENCE_WRITERS_H

#include "lib/Target/Common/PlainLoops.h"
#include "llvm/ADT/StringMap.h"

namespace ampc::reference {

using mlir::Type;
using mlir::Value;
using target::KernelPointers;
using target::LoopEmitter;

/// How one kind of kernel is written.
struct Writer {
  void (*emit)(mlir::Operation *op, LoopEmitter &e, const KernelPointers &pointers);
  /// Of the memory of a thread; null: none.
  int64_t (*scratchBytes)(mlir::Operation *op);
};
using Writers = llvm::StringMap<Writer>;
/// Null if nothing is known of this kind of kernel.
const Writer *findWriter(mlir::Operation *op);

// Each family adds its kinds.
void addFusedWriters(Writers &writers);
void addRowWriters(Writers &writers);
void addAttentionWriters(Writers &writers);
void addTotalsWriter(Writers &writers);

} // namespace ampc::reference
#endif
