// Blocking of a GEMM: register tile, feeds of both operands, k-blocks and task grid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_BLOCKING_H
#define LIB_CODEGEN_CPU_PRODUCT_BLOCKING_H

#include "lib/Codegen/CPU/Product/MicroTile.h"
#include "mlir-dialects/Kernel/Kernel.h"

namespace ampc::cpu {
class PanelSource;

/// How panels reach the micro-kernel; the members are described at #kernel.blocking.
using LhsFeedKind = kernel::LhsFeed;
using RhsFeedKind = kernel::RhsFeed;

/// k cut into blocks. Example: 1000 points in blocks of 512: 2 blocks, the last of 488.
struct KBlocks {
  int64_t points, depth, count; // points of k, points of a block, blocks

  KBlocks(int64_t points, int64_t depth)
      : points(points), depth(depth), count(ceilDiv(points, depth)) {}
  bool areSeveral() const { return count > 1; }
  /// Points of a block; the last block may have fewer than `depth`.
  mlir::Value pointsIn(KernelEmitter &e, mlir::Value kBlock) const;
  mlir::Value isLast(KernelEmitter &e, mlir::Value kBlock) const;
};

/// Panels along a dimension of C, cut into tasks of `step` panels.
/// Example: 10 panels, at most 4 per task: 3 tasks of 4, 4 and 2.
struct PanelGrid {
  int64_t panels, step, tasks;

  PanelGrid(int64_t panels, int64_t mostPerTask);
  /// Cuts each task in half.
  void halve() { *this = PanelGrid(panels, ceilDiv(step, 2)); }
};

/// Blocking of a GEMM on a tier, decided in the order of the members.
struct Blocking {
  MicroTile tile;
  LhsFeedKind lhs;
  RhsFeedKind rhs;
  KBlocks k;
  /// B panel reuse: panels of all k-blocks stay in scratch for the next task of the same columns.
  bool keepsRhs;
  /// Task grid: a task is a block of C of m.step x n.step panels.
  PanelGrid n, m;

  /// Blocking of a GEMM with this source of A.
  static Blocking choose(const ProductShape &shape, const PanelSource &lhs, const Tier &tier);
  /// Blocking of a plan; nothing, with a reason in `why`, if the tier has no code for that.
  static std::optional<Blocking> by(kernel::BlockingAttr plan, const ProductShape &shape,
                                    const PanelSource &lhs, const Tier &tier, std::string &why);
  /// Blocking of a plan that has code for this register tile and these k-blocks.
  Blocking(const ProductShape &shape, const MicroTile &tile, const KBlocks &k,
           kernel::BlockingAttr plan);
  /// `pixels`: see #kernel.blocking.
  kernel::BlockingAttr attribute(mlir::MLIRContext *context, const Tier &tier,
                                 llvm::ArrayRef<int64_t> pixels = {}) const;
  /// Task grid for a register tile, feeds and k-blocks that are given.
  Blocking(const ProductShape &shape, const MicroTile &tile, LhsFeedKind lhs, RhsFeedKind rhs,
           const KBlocks &k);

  /// Tasks of a batch entry.
  int64_t tasks() const { return m.tasks * n.tasks; }

private:
  /// More tasks, up to `wanted`, so that threads have work to share.
  void cutTasks(const ProductShape &shape);
  void cutForVectors(const ProductShape &shape, int64_t wanted);
  void cutForTiles(const ProductShape &shape, int64_t wanted);
};

/// Reason why the tier has no code for the register tile or the feed of B; null if there is code.
const char *whyNoCode(kernel::BlockingAttr plan, const ProductShape &shape, const MicroTile &tile,
                      const Tier &tier);
/// Feed of B that needs the least work per task.
RhsFeedKind chooseRhsFeed(const ProductShape &shape, const MicroTile &tile);

} // namespace ampc::cpu
#endif
