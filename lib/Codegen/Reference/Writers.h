// Kernel emitters of the reference target, by kernel op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_REFERENCE_WRITERS_H
#define LIB_CODEGEN_REFERENCE_WRITERS_H

#include "lib/Codegen/Common/KernelRegistry.h"
#include "lib/Codegen/Common/PlainLoops.h"

namespace ampc::reference {

using mlir::Type;
using mlir::Value;
using target::KernelPointers;
using target::LoopEmitter;

/// The function of a kernel, and the addresses of the kernel's tensors.
struct PlainCode {
  LoopEmitter &e;
  const KernelPointers &pointers;
};

/// Functions of the kernel emitter of a kernel op.
struct WriterFunctions {
  void (*emit)(mlir::Operation *op, LoopEmitter &e, const KernelPointers &pointers);
  /// Bytes of scratch memory per thread; null: none.
  int64_t (*scratchBytes)(mlir::Operation *op);
};
using Writers = llvm::StringMap<WriterFunctions>;

/// Kernel emitter of plain loops; makes no choice.
class Writer : public target::KernelEmitterOf<PlainCode> {
public:
  explicit Writer(const WriterFunctions &functions) : functions(functions) {}
  void emit(mlir::Operation *op, PlainCode &code) const override {
    functions.emit(op, code.e, code.pointers);
  }
  int64_t scratchBytes(mlir::Operation *op) const {
    return functions.scratchBytes ? functions.scratchBytes(op) : 0;
  }

private:
  const WriterFunctions functions;
};
const target::KernelRegistry<Writer> &writerRegistry();

// Registration of the emitters, by family.
void addFusedWriters(Writers &writers);
void addRowWriters(Writers &writers);
void addAttentionWriters(Writers &writers);
void addTotalsWriter(Writers &writers);

} // namespace ampc::reference
#endif
