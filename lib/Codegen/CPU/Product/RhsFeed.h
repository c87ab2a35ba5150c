// Feeds of B: how panels of the right operand reach the micro-kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_RHSFEED_H
#define LIB_CODEGEN_CPU_PRODUCT_RHSFEED_H

#include "lib/Codegen/CPU/Product/GemmSide.h"

namespace ampc::cpu {

/// Format of a panel of B: prepacked bf16 stays bf16 where the micro-kernel multiplies f32.
PanelFormat rhsFormat(const ProductShape &shape, const MicroTile &tile, RhsFeedKind feed,
                      int64_t panelUnits);
/// Panels of B by the feed that the blocking names.
SidePanels rhsPanels(const ProductShape &shape, const Blocking &blocking);

/// Feed of B. The macro-kernel calls, in this order:
///   beginTask(task, columns, before)   at the start of every task
///   beginBlock(task, kBlock)           at the start of every k-block of the task
///   panel(task, n, kBlock)             for the panels n of the task
class RhsFeed {
public:
  using Value = mlir::Value;

  /// Feed of the kind blocking.rhs.
  static std::unique_ptr<RhsFeed> create(const GemmSide &side);
  explicit RhsFeed(const GemmSide &side) : side(side) {}
  virtual ~RhsFeed();

  const SidePanels &panels() const { return side.panels; }
  void enterBatch(Value batch) { side.source.enterBatch(side.e, batch); }
  /// `columns`, `before`: numbers of the block of B that this task and the thread's task before
  /// read; `before` is -1 in the first task.
  virtual void beginTask(const GemmTask &task, Value columns, Value before) {}
  virtual void beginBlock(const GemmTask &task, Value kBlock) {}
  /// Address of panel `n` over a k-block.
  virtual Value panel(const GemmTask &task, Value n, Value kBlock) = 0;

protected:
  const GemmSide side;
};

} // namespace ampc::cpu
#endif
