// Buffer offsets in an arena by first fit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_KERNEL_PLANNING_FIRSTFIT_H
#define LIB_KERNEL_PLANNING_FIRSTFIT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace ampc {
/// Bytes of the arena with their liveness: from the first kernel that writes to the last kernel
/// that reads.
struct Buffer {
  int64_t bytes, first, last, offset = 0;
  int64_t tail = 0, tailTime = 0; ///< more bytes, right behind `bytes`, live during a single kernel

  int64_t bytesBeside(const Buffer &other) const {
    return bytes + (other.first <= tailTime && tailTime <= other.last ? tail : 0);
  }
  bool overlapsLiveness(const Buffer &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// Assigns each buffer in turn the lowest offset that is free during the buffer's liveness.
///
/// A step that saves n activations for the backward pass has n buffers live at once, and each would
/// be compared with all others. So assigned buffers form runs sorted by offset, separate for
/// liveness intervals of 2^k to 2^(k+1) kernels: activations, whose intervals nest, apart from
/// gradients, whose intervals follow one another. A run whose buffers are all live beside the new
/// buffer, without a gap large enough, is passed in a single step, as is a run of which no buffer
/// is live. Example, runs of 2, a buffer of 4 bytes at time 7:
///
///   [0-8: 1..9, 8-16: 2..8] all live, no gap: on to offset 16
///   [16-24: 3..5, 24-32: 4..6] none live: free
class FirstFit {
public:
  void assign(Buffer &buffer);

private:
  struct BufferRun {
    llvm::SmallVector<Buffer *, 0> buffers; ///< by offset
    // Bounds over the buffers of the run. hasTails: bytesBeside differs by the other buffer.
    int64_t leastFirst, mostFirst, leastLast, mostLast, end, mostGap;
    bool hasTails;

    void summarize();
  };
  using BufferRuns = llvm::SmallVector<BufferRun, 0>; ///< by offset; no run is empty
  bool passAll(Buffer &buffer);
  /// Runs that a buffer has not passed yet, and the number of buffers of the first of these runs
  /// that the buffer has been compared with.
  struct Position {
    llvm::ArrayRef<BufferRun> runs;
    size_t compared;
  };
  static bool pass(Position &position, Buffer &buffer);
  static void insert(BufferRuns &runs, Buffer &buffer);

  llvm::SmallVector<BufferRuns, 0> byLife; ///< by the logarithm of the liveness in kernels
};
} // namespace ampc
#endif
