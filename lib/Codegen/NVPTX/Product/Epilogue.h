// Epilogue: from accumulators in registers to results in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_NVPTX_PRODUCT_EPILOGUE_H
#define LIB_CODEGEN_NVPTX_PRODUCT_EPILOGUE_H

#include "lib/Codegen/NVPTX/DeviceCode.h"
#include "lib/Codegen/NVPTX/Product/GemmResults.h"
#include "lib/Codegen/NVPTX/Product/TileGemm.h"

namespace ampc::nvptx {

/// Evaluates a kernel's body at neighbouring columns with known sums, and stores the results.
class ResultWriter {
public:
  using Value = mlir::Value;
  ResultWriter(DeviceEmitter &e, FusedKernelOpInterface op, const ProductResults &results,
               const KernelPointers &pointers, int64_t most = 8)
      : columns(std::min(most, results.vectorColumns(op))), e(e), op(op), results(results),
        pointers(pointers) {}

  const int64_t columns; // columns per thread
  /// Vector of each input over the columns, or a single element for all columns; empty for inputs
  /// loaded by element.
  using Runs = llvm::SmallVector<llvm::SmallVector<Value>>;
  Runs load(llvm::ArrayRef<Value> batch, Value line, Value column);
  void write(llvm::ArrayRef<Value> sums, llvm::ArrayRef<Value> batch, Value line, Value column,
             const Runs &inputs);
  void write(llvm::ArrayRef<Value> sums, llvm::ArrayRef<Value> batch, Value line, Value column) {
    write(sums, batch, line, column, load(batch, line, column));
  }
  bool hasInputs() const;
  int64_t operations(); // operations of the body per point

private:
  DeviceEmitter &e;
  FusedKernelOpInterface op;
  const ProductResults &results;
  const KernelPointers &pointers;
};

/// Epilogue with staging: a warp stores accumulators to shared memory, some rows at a time, and
/// reads neighbouring columns back per thread; the thread evaluates the kernel's body and stores
/// whole vectors. With split-K, the thread stores partial sums to the workspace instead.
class Epilogue {
public:
  using Value = mlir::Value;
  /// `number`: batch entry (an i32); `part`: split-K slice.
  Epilogue(DeviceEmitter &e, FusedKernelOpInterface op, const TileGemm &gemm,
           const ProductResults &results, const KernelPointers &pointers, Value number, Value part);
  /// Shared memory of all warps, in bytes.
  static int64_t sharedBytes(const TileGemm &gemm);

  /// Prefetched epilogue sources: inputs of the body at the thread's first columns, or at all
  /// columns if the body is short. Loaded before the accumulators are staged, because a load from
  /// memory takes as long as many products.
  using Prefetched = llvm::SmallVector<ResultWriter::Runs>;
  Prefetched prefetch(Value line, Value column);
  /// All values of `ahead` as a list; and `ahead` with other values in the same structure.
  static llvm::SmallVector<Value> valuesOf(const Prefetched &ahead);
  static Prefetched with(const Prefetched &ahead, mlir::ValueRange values);
  /// Whether the passes over a staged subtile have too many operations to unroll.
  bool isLong();

  /// Stores a warp tile. `sums`: fragments of rows 16 i and columns 8 j of the warp at [i * warpN /
  /// 8 + j], in the layout of mma. `line`, `column`: start of the warp tile in the result;
  /// `shared`: memory that no other warp uses.
  void store(llvm::ArrayRef<std::array<Value, 4>> sums, Value line, Value column, Value shared,
             Prefetched ahead);
  void store(llvm::ArrayRef<std::array<Value, 4>> sums, Value line, Value column, Value shared) {
    store(sums, line, column, shared, {});
  }
  /// `store` in two steps, for a tile that is staged in one go: `stage` may be selected among
  /// several subtiles at run time, and `finish` is emitted once.
  void stage(llvm::ArrayRef<std::array<Value, 4>> sums, Value shared);
  void finish(Value line, Value column, Value shared, const Prefetched &ahead);

  /// Stores a block tile of the SIMT kernel. Thread t has rows 64 i + 4 (t / 16) + r and columns 64
  /// j + 4 (t % 16) to 64 j + 4 (t % 16) + 3 at [(4 i + r) * tile.n / 64 + j].
  void storeSIMT(llvm::ArrayRef<std::array<Value, 4>> sums, Value line, Value column, Value shared);

private:
  /// Subtile in shared memory: `lines` rows of `width`, and the threads that finish the subtile.
  struct Staged {
    Value memory, thread; // thread: index among `threads`
    int64_t lines, width, pitch, threads;
  };
  /// Columns that a thread finishes in a pass: address of the sums, row and column in the result.
  struct Columns {
    Value place, line, column;
  };
  Staged stagedBy(Value warpMemory);
  int64_t passes(const Staged &staged) const {
    return staged.lines * (staged.width / columns) / staged.threads;
  }
  Columns columnsOf(const Staged &staged, Value pass, Value line, Value column);
  ResultWriter::Runs load(const Columns &at);
  Value warpMemory(Value shared);
  void stageWarp(llvm::ArrayRef<std::array<Value, 4>> sums, Value memory);
  void finish(const Staged &staged, Value line, Value column, const Prefetched &ahead);
  void finishPass(const Columns &at, const ResultWriter::Runs &inputs);
  void write(llvm::ArrayRef<Value> sums, Value line, Value column,
             const ResultWriter::Runs &inputs);

  DeviceEmitter &e;
  const TileGemm &gemm;
  ResultWriter writer;
  Value workspace, number, part;
  llvm::SmallVector<Value> batch;
  int64_t columns; // columns per thread
};

/// Launch that adds the split-K slices of every sum in order of slices, and evaluates the body.
/// Zero parts give sums of 0.
void launchSplitKReduction(FusedKernelOpInterface op, DeviceCode &code,
                           const ProductResults &results, llvm::ArrayRef<int64_t> batch, int64_t m,
                           int64_t n, int64_t parts);
/// Number of warps of that launch.
int64_t splitKReductionWarps(FusedKernelOpInterface op, const ProductResults &results,
                             const TileGemm &gemm);

} // namespace ampc::nvptx
#endif
