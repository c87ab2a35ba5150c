// Packed results of maps: weight copies that an update writes in panel order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_PACKEDRESULTS_H
#define LIB_CODEGEN_CPU_PRODUCT_PACKEDRESULTS_H

#include "lib/Codegen/CPU/BodyEmitter.h"
#include "lib/Codegen/CPU/Product/PackedSide.h"

namespace ampc::cpu {

/// Cuts the matrix (of a filter: [outputs, all else]) into blocks of whole panels of all packed
/// results, one block per task. The body writes the elements of a block to scratch, row by row;
/// from scratch, still in cache, the elements are packed.
class PackedResults {
public:
  using Value = mlir::Value;

  PackedResults(kernel::MapOp op, const Tier &tier);
  explicit operator bool() const { return !results.empty(); }
  /// Whether the body writes elements of this result: for packed results of the same value only the
  /// first writes scratch.
  static bool writesElements(kernel::MapOp op, unsigned result);

  mlir::LogicalResult checkSizes(const Tier &tier) const;
  /// Whether another tier would write the same bytes.
  bool areLike(const PackedResults &other) const;
  int64_t tasks() const { return blocksDown() * blocksAcross(); }
  int64_t scratchBytes() const { return scratch; }

  /// Emits a task. `emitRow` emits the columns [from, to) of a row.
  void emit(KernelEmitter &e, BodyEmitter &body, const KernelPointers &pointers, Value task,
            llvm::function_ref<void(Value row, Value from, Value to)> emitRow);

private:
  struct Result {
    unsigned number;
    PackedSide side;
    int64_t scratch; // offset of the unpacked block
  };
  int64_t blocksDown() const { return ceilDiv(rows, blockRows); }
  int64_t blocksAcross() const { return ceilDiv(columns, blockColumns); }
  int64_t elementBytesOf(const Result &result) const;
  int64_t rowStride(const Result &result) const; // in scratch
  int64_t bytesOf(const Result &result) const;
  /// Address that element (0, 0) of the matrix would have.
  Value originOf(KernelEmitter &e, const Result &result, Value scratch, const MatrixBlock &block);

  kernel::MapOp op;
  int64_t rows, columns, blockRows, blockColumns, scratch = 0;
  bool streams = false; // some results are stored past the caches
  llvm::SmallVector<Result, 2> results;
};

} // namespace ampc::cpu
#endif
