// Task grid of filter gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_CPU_CONV_FILTERTASKS_H
#define LIB_CODEGEN_CPU_CONV_FILTERTASKS_H

#include "lib/Codegen/CPU/Product/Blocking.h"
#include "lib/Codegen/CPU/Product/Product.h"

namespace ampc::cpu {

/// Task grid: groups x slices of the images x blocks of output panels x blocks of channel panels.
/// Example: 2 x 4 panels with mStep 2 and cStep 1 -> 4 tasks per group and slice.
struct FilterTasks {
  int64_t groups = 1, parts = 1;
  int64_t mPanels, cPanels; // panels per group
  int64_t mStep, cStep;     // panels per task
  int64_t mTasks, cTasks;

  int64_t tasks() const { return groups * parts * mTasks * cTasks; }
  /// Chooses the steps: at most `most` tiles per task, at most `mostM` output panels. If tasks are
  /// too few, channels are cut first, down to `leastC` panels, then outputs, down to `leastM`.
  void cut(const ProductShape &shape, int64_t wantedTasks, int64_t most, int64_t mostM,
           int64_t leastM, int64_t leastC);
  /// Steps of at most these panels. Example: 10 output panels, at most 4 -> steps of 4.
  void cutTo(int64_t mostM, int64_t mostC);
  /// Whether a task of these panels exists.
  bool hasTask(llvm::ArrayRef<int64_t> task) const {
    return task[0] <= mPanels && task[1] <= cPanels;
  }

  struct TaskBounds {
    mlir::Value group, part, m, mEnd, c, cEnd;
  };
  TaskBounds locate(KernelEmitter &e, mlir::Value number) const;
};

} // namespace ampc::cpu
#endif
