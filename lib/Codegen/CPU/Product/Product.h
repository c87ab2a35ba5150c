// Shape of a GEMM, and formats of the numbers that micro-kernels multiply.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_PRODUCT_PRODUCT_H
#define LIB_CODEGEN_CPU_PRODUCT_PRODUCT_H

#include "lib/Codegen/CPU/KernelEmitter.h"

namespace ampc::cpu {

inline int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }
inline int64_t roundUp(int64_t x, int64_t y) { return ceilDiv(x, y) * y; }

/// Instructions of the micro-kernel, which define a point: the k that a unit of a panel holds.
///
/// Order of every sum: k ascending, one fused multiply-add at a time (plain tier: product rounded,
/// then added). k-blocks continue the same sums, so the order depends on neither blocking nor
/// threads. vdpbf16ps adds both products of a pair in the order that Intel defines; tdpbf16ps and
/// tdpfp16ps sum 16 even k and 16 odd k apart, add both sums, then add the result. The two
/// instructions on bf16 flush denormal operands and sums to zero; tdpfp16ps keeps denormal
/// operands, and sums, multiples of 2^-48, are never denormal.
enum class Multiply {
  Wide,       // FMA in the type of the sums; a point is 1 k
  Pairs,      // vdpbf16ps; a point is 2 neighbours in k, bf16 in an i32 (VNNI layout)
  Tiles,      // tdpbf16ps (AMX) on the same pairs, 16 points at a time
  HalfTiles,  // tdpfp16ps (AMX) on pairs of f16
  SplitTiles, // tdpbf16ps on f16: two-term split, high and low bf16 in two panels
};

/// Unit of a panel: a line at a point. Example: Pairs: an i32 of 2 k.
struct PanelFormat {
  PanelFormat(mlir::Type unit) : unit(unit) {}
  static PanelFormat of(Multiply multiply, mlir::Type acc, int64_t panelUnits = 0);

  mlir::Type unit;         // the type of the sums, or i32
  int64_t depth = 1;       // k per point
  int64_t secondPanel = 0; // units from the panel of high parts to the panel of low; 0: no split
  bool streams = false;    // whole vectors are stored past the caches
};

/// C[b][m][n] = sum over k of A[b][m][k] * B[b][k][n], summed in type `acc`.
struct ProductShape {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  mlir::Type lhs, rhs, acc;                  // of elements
  bool sharedRhs = false;                    // B is the same for the whole batch
  bool packedLhs = false, packedRhs = false; // by kernel.pack, for this tier
  bool mayWidenRhs = false;                  // see RhsFeedKind::Widened
};

Multiply chooseMultiply(const ProductShape &shape, const Tier &tier);
/// Whether the instructions of the tier differ from the instructions of the tier below.
bool hasOwnProducts(const ProductShape &shape, const Tier &tier);

} // namespace ampc::cpu
#endif
