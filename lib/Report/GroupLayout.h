// Positions of the ops of one group of the drawing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_REPORT_GROUPLAYOUT_H
#define LIB_REPORT_GROUPLAYOUT_H

#include "lib/Report/StepLayout.h"

namespace ampc::report {
// Sizes in units of the page: pixels at scale 1.
constexpr double nodeHeight = 24, rowGap = 16, nodeGap = 10, padding = 12, columnGap = 56;

/// Boxes of ops and loops, from (0, 0) on. The ops of a loop's body lie in the loop's box, below
/// the loop's op.
struct PlacedOps {
  std::vector<std::pair<int, Box>> operations, loops; ///< by op number
  double width = 0, height = 0;
};

/// Places the ops `members` from top to bottom; from left to right if `isLong`, for long chains.
PlacedOps placeOps(const Step &step, llvm::ArrayRef<int> members, bool isLong);
} // namespace ampc::report
#endif
