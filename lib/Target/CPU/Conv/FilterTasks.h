// How the gradient of a filter is cut into tasks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_CONV_FILTERTASKS_H
#define LIB_TARGET_CPU_CONV_FILTERTASKS_H

#include "lib/Target/CPU/Product/Product.h"

namespace ampc::cpu {

/// A task has panels of the outputs and of the input channels of a group, over a part of the
/// images.
struct FilterTasks {
  int64_t groups = 1, parts = 1;
  int64_t mPanels, cPanels; // of outputs and channels of a group
  int64_t mStep, cStep;     // panels of a task
  int64_t mTasks, cTasks;

  int64_t tasks() const { return groups * parts * mTasks * cTasks; }
  /// At most `most` tiles of a task, of `mostM` panels of outputs. For enough tasks to share,
  /// channels are cut first, to no less than `leastC` panels, then outputs.
  void cut(const ProductShape &shape, int64_t wantedTasks, int64_t most, int64_t mostM,
           int64_t leastM, int64_t leastC);

  struct Place {
    mlir::Value group, part, m, mEnd, c, cEnd;
  };
  Place locate(KernelEmitter &e, mlir::Value number) const;
};

} // namespace ampc::cpu
#endif
