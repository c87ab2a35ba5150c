// From sums in registers to results in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_NVPTX_PRODUCT_EPILOGUE_H
#define LIB_TARGET_NVPTX_PRODUCT_EPILOGUE_H

#include "lib/Target/NVPTX/DeviceCode.h"
#include "lib/Target/NVPTX/Product/Results.h"
#include "lib/Target/NVPTX/Product/TileGemm.h"

namespace ampc::nvptx {

/// A kernel's body at neighbouring columns, whose sums are known.
class ResultWriter {
public:
  using Value = mlir::Value;
  ResultWriter(DeviceEmitter &e, FusedKernelOpInterface op, const ProductResults &results,
               const KernelPointers &pointers, int64_t most = 8)
      : columns(std::min(most, results.vectorColumns(op))), e(e), op(op), results(results),
        pointers(pointers) {}

  const int64_t columns; // of a thread
  /// Elements of each input that are neighbours there, or one for all columns; none of others.
  using Runs = llvm::SmallVector<llvm::SmallVector<Value>>;
  Runs load(llvm::ArrayRef<Value> batch, Value line, Value column);
  void write(llvm::ArrayRef<Value> sums, llvm::ArrayRef<Value> batch, Value line, Value column,
             const Runs &inputs);
  void write(llvm::ArrayRef<Value> sums, llvm::ArrayRef<Value> batch, Value line, Value column) {
    write(sums, batch, line, column, load(batch, line, column));
  }
  bool hasInputs() const;
  int64_t operations(); // of the body at a point

private:
  DeviceEmitter &e;
  FusedKernelOpInterface op;
  const ProductResults &results;
  const KernelPointers &pointers;
};

/// A warp writes its sums to shared memory, some lines at a time, and reads them back with
/// neighbouring columns in a thread, which evaluates the kernel's body and stores whole vectors; of
/// sums in parts, it stores them to the workspace.
class Epilogue {
public:
  using Value = mlir::Value;
  /// Of entry `number` (an i32) of the batch, in a part of the sum.
  Epilogue(DeviceEmitter &e, FusedKernelOpInterface op, const TileGemm &gemm,
           const ProductResults &results, const KernelPointers &pointers, Value number, Value part);
  /// Bytes of all warps.
  static int64_t sharedBytes(const TileGemm &gemm);

  /// What the body reads at the first columns that a thread finishes, or at all of them if it is
  /// short: asked for before the sums are staged, since memory takes as long as many products.
  using Ahead = llvm::SmallVector<ResultWriter::Runs>;
  Ahead ask(Value line, Value column);
  /// All values of `ahead`, and others in their places.
  static llvm::SmallVector<Value> valuesOf(const Ahead &ahead);
  static Ahead with(const Ahead &ahead, mlir::ValueRange values);
  /// Whether the body of what a warp stages at once has more instructions than are worth being
  /// written out several times.
  bool isLong();

  /// `sums`: of lines 16 i and columns 8 j of the warp at [i * warpN / 8 + j], as mma leaves them.
  /// `line`, `column`: where the warp's part of the result begins; `shared`: memory that no other
  /// warp uses.
  void store(llvm::ArrayRef<std::array<Value, 4>> sums, Value line, Value column, Value shared,
             Ahead ahead);
  void store(llvm::ArrayRef<std::array<Value, 4>> sums, Value line, Value column, Value shared) {
    store(sums, line, column, shared, {});
  }
  /// The same in two steps, of a part that is staged at once, for code that stages sums of one part
  /// or another one.
  void stage(llvm::ArrayRef<std::array<Value, 4>> sums, Value shared);
  void finish(Value line, Value column, Value shared, const Ahead &ahead);

  /// Sums without matrix units: of 64 i + 4 (t / 16) + r and columns 64 j + 4 (t % 16) to the next
  /// but two of the block at [(4 i + r) * tile.n / 64 + j], for thread t.
  void storeNumbers(llvm::ArrayRef<std::array<Value, 4>> sums, Value line, Value column,
                    Value shared);

private:
  /// Sums in shared memory: whole lines of `width`, and the threads that take them from there.
  struct Staged {
    Value memory, thread; // thread: its number among `threads`
    int64_t lines, width, pitch, threads;
  };
  /// Columns that a thread finishes in a pass: where their sums are, and they.
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
  void finish(const Staged &staged, Value line, Value column, const Ahead &ahead);
  void finishPass(const Columns &at, const ResultWriter::Runs &inputs);
  void write(llvm::ArrayRef<Value> sums, Value line, Value column,
             const ResultWriter::Runs &inputs);

  DeviceEmitter &e;
  const TileGemm &gemm;
  ResultWriter writer;
  Value workspace, number, part;
  llvm::SmallVector<Value> batch;
  int64_t columns; // of a thread
};

/// Adds the parts of every sum in their order, from the first one on, and evaluates the body. No
/// parts are a sum of 0.
void launchFinish(FusedKernelOpInterface op, DeviceCode &code, const ProductResults &results,
                  llvm::ArrayRef<int64_t> batch, int64_t m, int64_t n, int64_t parts);
/// Warps of that launch.
int64_t finishWarps(FusedKernelOpInterface op, const ProductResults &results, const TileGemm &gemm);

} // namespace ampc::nvptx
#endif
