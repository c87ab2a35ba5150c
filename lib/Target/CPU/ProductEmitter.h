// The loop nest of a product of matrices around one register tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_PRODUCTEMITTER_H
#define LIB_TARGET_CPU_PRODUCTEMITTER_H

#include "lib/Target/CPU/Panels.h"

namespace ampc::cpu {

/// Byte offsets in a thread's scratch.
struct ScratchLayout {
  int64_t lhsPanelElements;
  int64_t zeros, tile, lhs, rhs, sums, total;

  static ScratchLayout of(const ProductShape &shape, const Blocking &blocking,
                          const PanelSource &lhs);
};

/// Emits tasks of a product: packs blocks of both sides into the thread's scratch, sums register
/// tiles, and hands vectors of finished sums to the epilogue.
class ProductEmitter {
public:
  /// `sums` belong to (batch, m, n...n + active - 1).
  using Epilogue = llvm::function_ref<void(mlir::Value batch, mlir::Value m, mlir::Value n,
                                           int64_t active, mlir::Value sums)>;

  ProductEmitter(KernelEmitter &e, const ProductShape &shape, const Blocking &blocking,
                 PanelSource &lhs, PanelSource &rhs, Epilogue epilogue);
  /// Runs tasks [begin, end).
  void emit(mlir::Value begin, mlir::Value end, mlir::Value scratch);

private:
  using Value = mlir::Value;
  struct Task {
    Value batch, m, mEnd, n, nEnd; // m and n count panels
  };
  Task locate(Value task, Value &key);
  void packRhs(const Task &task, Value block);
  void emitBlock(const Task &task, Value block);
  Value points(Value block);
  Value rhsPanel(const Task &task, Value block, Value panel);
  Value sumsOf(const Task &task, Value m, Value n);
  void emitTile(Value a, Value b, Value points, Value from, Value to);
  void emitEpilogue(const Task &task, Value m, Value n, Value tile);

  KernelEmitter &e;
  ProductShape shape;
  Blocking blocking;
  PanelSource &lhs, &rhs;
  Epilogue epilogue;
  PanelLayout lhsLayout;
  ScratchLayout layout;
  Value scratch;
};

} // namespace ampc::cpu
#endif
