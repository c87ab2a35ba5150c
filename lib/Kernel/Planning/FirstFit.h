// Offsets of buffers in an arena by first fit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_PLANNING_FIRSTFIT_H
#define LIB_KERNEL_PLANNING_FIRSTFIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace ampc {
/// Bytes of the arena from the first kernel that writes them to the last that reads them.
struct Buffer {
  int64_t bytes, first, last, offset = 0;
  int64_t tail = 0, tailTime = 0; ///< more bytes, right behind these, while one kernel runs

  int64_t bytesBeside(const Buffer &other) const {
    return bytes + (other.first <= tailTime && tailTime <= other.last ? tail : 0);
  }
  bool livesWith(const Buffer &other) const { return first <= other.last && other.first <= last; }
};

/// Places one buffer after the other at the lowest offset that is free during its life.
///
/// A step that keeps n activations for its backward pass has n buffers that live at once, and each
/// would be compared with all others. So placed buffers lie in runs in the order of their offsets,
/// those of lives of 2^k to 2^(k+1) kernels apart from others: activations, whose lives enclose one
/// another, apart from gradients, which follow one another. A run whose buffers all live beside the
/// new one, without a gap that it fits in, is passed in one step, as is a run of which none does.
/// Example, runs of 2, a buffer of 4 bytes at time 7:
///
///   [0-8: 1..9, 8-16: 2..8] all live, no gap: on to offset 16
///   [16-24: 3..5, 24-32: 4..6] none lives: free
class FirstFit {
public:
  void place(Buffer &buffer);

private:
  struct Run {
    llvm::SmallVector<Buffer *, 0> buffers; ///< by offset
    // Bounds over the buffers of the run. hasTails: bytesBeside differs with the other buffer.
    int64_t leastFirst, mostFirst, leastLast, mostLast, end, mostGap;
    bool hasTails;

    void summarize();
  };
  using Runs = llvm::SmallVector<Run, 0>; ///< by offset; none is empty
  bool passAll(Buffer &buffer);
  static bool pass(llvm::ArrayRef<Run> &runs, Buffer &buffer);
  static void insert(Runs &runs, Buffer &buffer);

  llvm::SmallVector<Runs, 0> byLife; ///< by the logarithm of a life's kernels
};
} // namespace ampc
#endif
