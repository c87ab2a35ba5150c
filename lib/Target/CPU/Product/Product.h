// Shape and blocking of a product of matrices, as all contractions see it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_PRODUCT_PRODUCT_H
#define LIB_TARGET_CPU_PRODUCT_PRODUCT_H

#include "lib/Target/CPU/KernelEmitter.h"

namespace ampc::cpu {

inline int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
inline int64_t roundUp(int64_t x, int64_t y) { return ceilDiv(x, y) * y; }

/// How products are formed, and so what a panel holds at a point of a line.
enum class Multiply {
  Wide,       // multiply-adds of numbers as wide as the sums; a point is one k
  Pairs,      // vdpbf16ps; a point is two neighbours in k, bf16 in an i32
  Tiles,      // tdpbf16ps on the same pairs, 16 points at a time
  HalfTiles,  // tdpfp16ps on pairs of f16
  SplitTiles, // tdpbf16ps on f16: each number is the sum of two bf16, which lie in two panels
};

/// What a panel holds at a point of a line.
struct PanelFormat {
  PanelFormat(mlir::Type unit) : unit(unit) {}
  static PanelFormat of(Multiply multiply, mlir::Type acc, int64_t panelUnits);

  mlir::Type unit;         // type of a point: that of the sums, or i32
  int64_t depth = 1;       // k per point
  int64_t secondPanel = 0; // units from the panel of high parts to that of low ones; 0: none
  bool streams = false;    // whole vectors go past the caches
};

/// C[b][m][n] = sum over k of A[b][m][k] * B[b][k][n], summed in type `acc`.
struct ProductShape {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  mlir::Type lhs, rhs, acc;                  // of elements
  bool sharedRhs = false;                    // B is the same for the whole batch
  bool packedLhs = false, packedRhs = false; // by kernel.pack, for this tier
  bool mayWidenRhs = false;                  // see Blocking::widensRhs
};

/// A register tile has `rows` x `columns()` sums. A panel is a strip of A (`rows` lines) or B
/// (`columns()` lines), packed for `depth` points of k at a time. A task is a block of C of mStep x
/// nStep panels.
///
/// The order of every sum: k ascending, one fused multiply-add at a time (plain tier: product
/// rounded, then added). Blocks of k continue the same sums, so the order depends on neither
/// blocking nor threads. vdpbf16ps adds the products of a pair in a way of its own; tdpbf16ps and
/// tdpfp16ps sum 16 even and 16 odd k apart, add both, then add that. The two on bf16 take
/// denormals for zeros. tdpfp16ps does not on either side, and its sums, multiples of 2^-48, never
/// are denormal.
struct Blocking {
  Multiply multiply;
  int64_t rows, vectors, width;
  /// All of k, of a block of k, and the number of blocks.
  int64_t points;
  int64_t depth, depthBlocks;
  int64_t mPanels, nPanels;
  int64_t mStep, nStep;
  int64_t mTasks, nTasks;
  /// All blocks of k of B stay packed, for the next task of the same columns.
  bool keepRhs;
  /// Sides packed before: panel after panel, each over all of k. Lines of their panels depend on
  /// nothing but that side, so that all products which read it agree.
  bool packedLhs = false, packedRhs = false;
  int64_t packedPoints = 0; // of such a panel, whole steps of tiles; the last ones zero
  /// B is packed before in bf16, where products are wide, and gets as wide as sums in scratch:
  /// cheaper than to widen it for every panel of A, as that takes the units that multiply.
  bool widensRhs = false;
  /// Not 0: vectors read lines of A, so many units apart, where they are.
  int64_t lhsLineInPlace = 0;

  int64_t columns() const { return vectors * width; }
  bool usesTiles() const { return multiply >= Multiply::Tiles; }
  bool readsRhsInPlace() const { return packedRhs && !widensRhs; }
  /// Of a packed number: 2 if it is split.
  int64_t parts() const { return multiply == Multiply::SplitTiles ? 2 : 1; }
};

/// What panels of B hold. Packed before, bf16 stays as narrow as it is where products are wide.
PanelFormat rhsFormat(const ProductShape &shape, const Blocking &blocking, int64_t panelUnits);

Multiply chooseMultiply(const ProductShape &shape, const Tier &tier);
/// Whether the tier multiplies in another way than the one below.
bool hasOwnProducts(const ProductShape &shape, const Tier &tier);
class PanelSource;
/// Whether all panels of a task are packed together, a stretch of k of each in turn: their lines
/// are side by side in memory, so that this reads long rows, and a panel alone a cache line of each
/// row, on a page of its own.
bool packsTogether(const Blocking &blocking, const PanelSource &side);
Blocking chooseBlocking(const ProductShape &shape, const PanelSource &lhs, const Tier &tier);
/// Vectors of a line of B that is packed before.
int64_t packedVectors(const ProductShape &shape, const Blocking &blocking);
/// Points of a packed panel.
int64_t packedPoints(const ProductShape &shape, const Blocking &blocking);
/// Cuts a product whose tile (multiply, rows, vectors, width) and panels are chosen: into blocks of
/// k of `depth` points, and tasks. `lhsTogether`: panels of A are packed together.
void cutProduct(const ProductShape &shape, int64_t depth, bool lhsTogether, Blocking &blocking);
/// Cuts `panels` into equal tasks of at most `most`.
void cutPanels(int64_t panels, int64_t most, int64_t &step, int64_t &tasks);
/// Register tiles: most rows that fit beside `vectors` vectors of B.
int64_t mostTileRows(int64_t vectors, const Tier &tier);
/// Cycles of a register tile per point of k: its multiply-adds or loads, of which those of B come
/// from L2 and keep up with four rows, and no less than their latency.
double tileCycles(int64_t rows, int64_t vectors);

} // namespace ampc::cpu
#endif
