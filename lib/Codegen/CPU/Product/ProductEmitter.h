// The macro-kernel of a GEMM: loops over tasks, k-blocks and panels around the micro-kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_PRODUCTEMITTER_H
#define LIB_CODEGEN_CPU_PRODUCT_PRODUCTEMITTER_H

#include "lib/Codegen/CPU/Product/LhsFeed.h"
#include "lib/Codegen/CPU/Product/RhsFeed.h"

namespace ampc::cpu {
class FusedReductions;

/// Byte offsets in a thread's scratch.
struct ScratchLayout {
  int64_t zeros;    // one register tile of zeros, if k has several blocks
  int64_t tile;     // one register tile of finished sums
  int64_t spare;    // tile that the AMX kernel stores to stay fast
  int64_t lhs, rhs; // packed panels of both operands
  int64_t sums;     // [nStep, mStep] register tiles between k-blocks, if there are several
  int64_t total;

  static ScratchLayout of(const ProductShape &shape, const Blocking &blocking,
                          const PanelSource &lhs);
};

/// Emits tasks of a GEMM: the feeds supply panels of both operands, the micro-kernel sums register
/// tiles, and the epilogue gets vectors of finished sums.
class ProductEmitter {
public:
  /// `sums` belong to C[batch, m, n to n + active - 1].
  using Epilogue = llvm::function_ref<void(mlir::Value batch, mlir::Value m, mlir::Value n,
                                           int64_t active, mlir::Value sums)>;
  /// Prefetches the operands of the epilogue for C[batch, m, n to n + columns - 1].
  using Prefetch =
      llvm::function_ref<void(mlir::Value batch, mlir::Value m, mlir::Value n, int64_t columns)>;

  ProductEmitter(KernelEmitter &e, const ProductShape &shape, const Blocking &blocking,
                 PanelSource &lhs, PanelSource &rhs, mlir::Value scratch, Epilogue epilogue,
                 Prefetch prefetch = {});
  /// Runs tasks [begin, end); `reductions` hears of the begin and end of each task.
  void emit(mlir::Value begin, mlir::Value end, FusedReductions *reductions = nullptr);

private:
  using Value = mlir::Value;
  /// A task and the number of the block of B that the task reads.
  struct Located {
    GemmTask task;
    Value columns;
  };
  Located locate(Value number);
  void emitBlock(const GemmTask &task, Value kBlock);
  void emitTile(const GemmTask &task, Value kBlock, Value m, Value n, const LhsPanel &a);
  void multiply(const LhsPanel &a, Value b, Value points, Value from, Value to);
  void multiplyVectors(const LhsPanel &a, Value b, Value points, Value from, Value to);
  Value sumsOf(const GemmTask &task, Value m, Value n);
  void emitPrefetch(const GemmTask &task, Value m, Value n);
  void emitEpilogue(const GemmTask &task, Value m, Value n, Value tile);

  KernelEmitter &e;
  const ProductShape shape;
  const Blocking blocking;
  const ScratchLayout layout;
  const Value scratch;
  const std::unique_ptr<LhsFeed> lhs;
  const std::unique_ptr<RhsFeed> rhs;
  const Epilogue epilogue;
  const Prefetch prefetch;
};

} // namespace ampc::cpu
#endif
