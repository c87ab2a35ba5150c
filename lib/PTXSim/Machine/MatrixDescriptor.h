// Shared-memory matrix descriptors of wgmma.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ISA: "Matrix descriptor format" and "canonical layouts". Fields hold (x & 0x3ffff) >> 4. The
// swizzle permutes chunks of 16 bytes, so a chunk is contiguous in memory in every mode.
#ifndef PTXSIM_MACHINE_MATRIXDESCRIPTOR_H
#define PTXSIM_MACHINE_MATRIXDESCRIPTOR_H

#include "lib/PTXSim/Machine/TensorMap.h"

namespace ptxsim {

struct MatrixDescriptor {
  uint32_t start, leading, stride, baseOffset, atom;
  Swizzle swizzle;

  explicit MatrixDescriptor(uint64_t bits)
      : start(uint32_t(bits & 0x3fff) << 4), leading(uint32_t(bits >> 16 & 0x3fff) << 4),
        stride(uint32_t(bits >> 32 & 0x3fff) << 4), baseOffset(uint32_t(bits >> 49 & 7)) {
    constexpr Swizzle modes[4] = {Swizzle::None, Swizzle::Bytes128, Swizzle::Bytes64,
                                  Swizzle::Bytes32};
    constexpr uint32_t atoms[4] = {16, 128, 64, 32};
    swizzle = modes[bits >> 62];
    atom = atoms[bits >> 62];
  }

  /// K-major: chunk of 16 bytes along K at byte `k` of row `row` (a row of A, a column of B).
  uint32_t kMajor(unsigned row, unsigned k) const {
    uint32_t a = start + (row >> 3) * stride + (row & 7) * atom + k % atom + k / atom * leading;
    return swizzleAddress(a, swizzle);
  }
  /// MN-major: chunk of 16 bytes along M or N at byte `mn`, for a single k. Without swizzle the two
  /// strides swap roles.
  uint32_t mnMajor(unsigned mn, unsigned k) const {
    uint32_t across = swizzle == Swizzle::None ? stride : leading;
    uint32_t along = swizzle == Swizzle::None ? leading : stride;
    uint32_t a = start + mn / atom * across + mn % atom + (k & 7) * atom + (k >> 3) * along;
    return swizzleAddress(a, swizzle);
  }

  /// Visits the chunks of `extent` rows or columns from `first` on and 32 bytes of K: f(address,
  /// mn, k), with mn and k in elements.
  template <class F>
  void eachChunk(bool mnFirst, unsigned element, unsigned first, unsigned extent, F f) const {
    unsigned perChunk = 16 / element;
    if (mnFirst) {
      for (unsigned k = 0; k < 32 / element; k++)
        for (unsigned mn = first; mn < first + extent; mn += perChunk)
          f(mnMajor(mn * element, k), mn, k);
      return;
    }
    for (unsigned mn = first; mn < first + extent; mn++)
      for (unsigned c = 0; c < 2; c++)
        f(kMajor(mn, 16 * c), mn, c * perChunk);
  }
};

} // namespace ptxsim
#endif
