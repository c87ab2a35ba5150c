// The loop nest of a product of matrices around one register tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_PRODUCT_PRODUCTEMITTER_H
#define LIB_TARGET_CPU_PRODUCT_PRODUCTEMITTER_H

#include "lib/Target/CPU/Product/Panels.h"

namespace ampc::cpu {
class Totals;

/// Layout of a packed panel of A.
PanelLayout lhsLayout(const Blocking &blocking, const PanelSource &lhs);

/// Byte offsets in a thread's scratch.
struct ScratchLayout {
  int64_t lhsPanelUnits, rhsPanelUnits; // of one part
  int64_t zeros, tile, spare, lhs, rhs, sums, total;

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
  /// Asks for what the epilogue of `columns` sums from (batch, m, n) on will read.
  using Prefetch =
      llvm::function_ref<void(mlir::Value batch, mlir::Value m, mlir::Value n, int64_t columns)>;

  ProductEmitter(KernelEmitter &e, const ProductShape &shape, const Blocking &blocking,
                 PanelSource &lhs, PanelSource &rhs, Epilogue epilogue, Prefetch prefetch = {});
  /// Runs tasks [begin, end); totals are told of each.
  void emit(mlir::Value begin, mlir::Value end, mlir::Value scratch, Totals *totals = nullptr);

private:
  using Value = mlir::Value;
  struct Task {
    Value batch, m, mEnd, n, nEnd; // m and n count panels
  };
  Task locate(Value task, Value &key);
  /// A panel of A, packed or in place.
  struct LhsPanel {
    Value pointer;
    Value bytesBetweenLines; // only for matrix tiles
    int64_t bytesPerPoint;   // the same
  };
  void packLhs(Value m, Value block);
  void packLhsTogether(const Task &task, Value block);
  void widenRhs(const Task &task, mlir::Value block);
  void packRhs(const Task &task, Value block);
  void inStretches(Value block,
                   llvm::function_ref<void(Value k, Value count, Value nextCount)> pack);
  void clearTail(Value panel, int64_t lines, PanelLayout layout, const PanelFormat &format,
                 Value block);
  bool readsLhsInPlace() const;
  LhsPanel lhsPackedBefore(Value m, Value block);
  LhsPanel packedLhs();
  Value packedTogether(const Task &task, Value m);
  Value firstRow(Value m);
  LhsPanel lhsPanel(Value m, Value block);
  void emitBlock(const Task &task, Value block);
  void emitBlockInPlace(const Task &task, Value block);
  void emitBlockTogether(const Task &task, Value block);
  void emitPanels(const Task &task, Value block, Value m, Value n, const LhsPanel &a);
  Value points(Value block);
  Value rhsPanel(const Task &task, Value block, Value panel);
  Value sumsOf(const Task &task, Value m, Value n);
  void emitTile(const LhsPanel &a, Value b, Value points, Value from, Value to);
  void emitRegisterTile(Value a, Value b, Value points, Value from, Value to);
  void emitPrefetch(const Task &task, Value m, Value n);
  void emitEpilogue(const Task &task, Value m, Value n, Value tile);

  KernelEmitter &e;
  ProductShape shape;
  Blocking blocking;
  PanelSource &lhs, &rhs;
  Epilogue epilogue;
  Prefetch prefetch;
  PanelLayout lhsLines;
  ScratchLayout layout;
  PanelFormat lhsFormat, rhsFormat;
  Value scratch;
  std::pair<Value, Value> runs; // of the packed panel of A, if it has runs
};

} // namespace ampc::cpu
#endif
