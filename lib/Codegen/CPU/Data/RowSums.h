// Sums along a row, in the order shared by all targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_DATA_ROWSUMS_H
#define LIB_CODEGEN_CPU_DATA_ROWSUMS_H

#include "lib/Codegen/CPU/Combine.h"
#include "lib/Codegen/Common/SumOrder.h"

namespace ampc::cpu {

/// Sums (maxima, minima) along a row, several at once, in vectors of `lanes`. The matrix of
/// target::order, [rows, 512], is walked in stripes: four column vectors 128 apart, whose sums are
/// in four registers without dependencies on each other. Row of 768 on 16 lanes, stripe 0:
///   columns 0..15, 128..143, 256..271, 384..399, then 512..527 and 640..655 are added to the
///   first two.
/// The whole rows of a long chunk come before the stripes, row after row for the hardware
/// prefetchers, with the sums of all 512 columns in scratch.
class RowSums {
public:
  using Value = mlir::Value;
  struct Sum {
    kernel::Combine kind;
    mlir::Type type; // of an element
  };
  /// Terms of the columns from `column` on: one vector per sum, of which `active` lanes exist.
  using Terms = llvm::function_ref<llvm::SmallVector<Value>(Value column, int64_t active)>;

  /// `instructions`: estimate per vector of terms, which bounds the unrolled code.
  RowSums(KernelEmitter &e, llvm::ArrayRef<Sum> sums, int64_t lanes, int64_t instructions,
          Value scratch)
      : e(e), sums(sums), lanes(lanes), instructions(instructions), scratch(scratch) {}
  /// Scratch bytes per thread for `sums` sums over rows of `length`.
  static int64_t scratchBytes(int64_t sums, int64_t length);

  /// Sums of a row of any length, as scalars.
  llvm::SmallVector<Value> emit(int64_t length, Terms terms);

private:
  using Values = llvm::SmallVector<Value>;
  static constexpr int64_t span = 128; // columns between the registers of a stripe
  static constexpr int64_t longRows = 8, fewVectors = 64, mostUnrolled = 2048; // instructions
  // Bytes of scratch per sum.
  static constexpr int64_t stripeBytes = span * sizeof(double);
  static constexpr int64_t columnBytes = target::order::rowWidth * sizeof(double);
  struct Matrix {
    explicit Matrix(int64_t length);
    bool isLong() const { return rows >= longRows; }
    int64_t length, ways, rows, rest; // rest: terms behind the last full row
  };
  bool isUnrolled(const Matrix &matrix, int64_t vectors) const;
  Values emitChunk(Value from, int64_t length, Terms terms);
  Values addWay(mlir::ValueRange sums, int64_t way, Value column, int64_t active, Terms terms);
  Values sumStripe(const Matrix &matrix, Value column, int64_t whole, int64_t active, Terms terms);
  Values start();
  void addRows(int64_t rows, Terms terms);
  Values columnsAt(Value column);
  Value stripes(unsigned k) { return e.offset(scratch, k * (stripeBytes + columnBytes)); }
  Value columns(unsigned k) { return e.offset(stripes(k), stripeBytes); }
  Value chunks(unsigned k, int64_t count);
  Value addChunks(unsigned k, int64_t count);

  KernelEmitter &e;
  llvm::ArrayRef<Sum> sums;
  int64_t lanes, instructions;
  Value scratch;
};

} // namespace ampc::cpu
#endif
