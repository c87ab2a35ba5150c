// Sums of many rows of few columns, whose terms many threads find.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_REDUCE_STAGEDSUMS_H
#define LIB_TARGET_NVPTX_REDUCE_STAGEDSUMS_H

#include "lib/Target/Common/Combine.h"
#include "lib/Target/NVPTX/DeviceCode.h"

namespace ampc::nvptx {

/// A block finds the terms of a tile of rows, which lie in shared memory; then a thread per column
/// adds them up in the order of the rows, while others find those of the next tile.
class StagedSums {
public:
  using Value = mlir::Value;
  /// Terms of `points` neighbouring columns, by result.
  using Terms =
      llvm::function_ref<llvm::SmallVector<llvm::SmallVector<Value>>(Value row, Value column)>;

  StagedSums(kernel::Combine kind, llvm::ArrayRef<mlir::Type> types, int64_t columns,
             int64_t points);
  /// Threads and shared memory of a launch.
  LaunchShape shape() const;

  /// Over the rows [from, to). The sums of result k are those of the threads adder(k).
  llvm::SmallVector<Value> run(DeviceEmitter &e, Value from, Value to, Terms terms) const;
  /// Whether a thread has the sum of a column of result k; the column.
  Value isAdder(DeviceEmitter &e, unsigned k) const;
  Value column(DeviceEmitter &e, unsigned k) const;
  /// Memory behind the terms.
  int64_t bytes() const { return 2 * tileBytes; }
  /// Whether columns fit: each result's need threads of their own.
  static bool fits(int64_t columns, unsigned results) { return columns * results <= threads; }

private:
  static constexpr int64_t threads = 512;
  int64_t rowsPerPass() const { return threads / (columns / points); }
  int64_t rowsPerTile() const { return passes * rowsPerPass(); }
  void findTerms(DeviceEmitter &e, Value first, Value to, Value parity, Terms terms) const;
  Value addTerms(DeviceEmitter &e, unsigned k, Value parity, Value sum) const;

  kernel::Combine kind;
  llvm::SmallVector<mlir::Type> types;
  int64_t columns, points, passes;
  llvm::SmallVector<int64_t> offsets; // of a result's terms in shared memory
  int64_t tileBytes = 0;              // of all results
};

} // namespace ampc::nvptx
#endif
