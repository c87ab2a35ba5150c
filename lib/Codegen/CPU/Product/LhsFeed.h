// Feeds of A: how panels of the left operand reach the micro-kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_LHSFEED_H
#define LIB_CODEGEN_CPU_PRODUCT_LHSFEED_H

#include "lib/Codegen/CPU/Product/GemmSide.h"

namespace ampc::cpu {

/// Panel of A over a k-block: operand of the micro-kernel.
struct LhsPanel {
  mlir::Value pointer;
  /// FMA and pair kernels: unit (row, point) of the panel.
  PanelLayout layout;
  /// AMX kernel: bytes from row to row of a tile and bytes from point to point.
  mlir::Value rowBytes;
  int64_t pointBytes = 0;
  /// Layout of runs only: the runs [first, second) that are not all zero.
  std::pair<mlir::Value, mlir::Value> runs = {};
};

/// Panels of A by the feed that the blocking names.
SidePanels lhsPanels(const ProductShape &shape, const Blocking &blocking, const PanelSource &lhs);

/// Feed of A. The macro-kernel calls, in this order:
///   beginBlock(task, kBlock)     at the start of every k-block of a task
///   panel(task, m, kBlock)       for the panels m of the task; the panel stays valid until the
///                                next call
class LhsFeed {
public:
  using Value = mlir::Value;

  /// Feed of the kind blocking.lhs.
  static std::unique_ptr<LhsFeed> create(const GemmSide &side);
  explicit LhsFeed(const GemmSide &side) : side(side) {}
  virtual ~LhsFeed();

  const SidePanels &panels() const { return side.panels; }
  void enterBatch(Value batch) { side.source.enterBatch(side.e, batch); }
  /// Loop order of the macro-kernel. False: a panel of A stays in L1 for all panels of B; rows of C
  /// are finished from left to right, so neighbouring tiles write, and their epilogues read,
  /// neighbouring cache lines of the same pages. True: a panel of B stays in L1 for all panels of
  /// A.
  virtual bool keepsRhsPanelInL1() const { return false; }
  virtual void beginBlock(const GemmTask &task, Value kBlock) {}
  virtual LhsPanel panel(const GemmTask &task, Value m, Value kBlock) = 0;
  /// Row of C that is row 0 of the register tile of panel `m`.
  virtual Value firstRow(Value m) const { return side.firstLine(m); }

protected:
  /// Panel of the layout panels().layout at an address.
  LhsPanel panelAt(Value pointer) const;
  /// Packs panel `m` to an address.
  LhsPanel packTo(Value to, Value m, Value kBlock) const;

  const GemmSide side;
};

} // namespace ampc::cpu
#endif
