// Limits of the integers of an input: a single limit for all, or several for the elements of a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_LABELRUNS_H
#define TOOLS_AMPC_LABELRUNS_H

#include "ampc/Data/Convert.h"
#include <vector>

namespace ampc {
/// Elements of a tensor that have the same limits.
class LabelRun {
public:
  Limits limits;
  /// Calls `visit(first, count)` for each piece of the run among `end` elements, until `visit`
  /// returns false.
  template <typename Visit> void eachPiece(int64_t end, Visit visit) const {
    for (int64_t at = first; at < end && visit(at, std::min(count, end - at)); at += period)
      ;
  }

private:
  friend std::vector<LabelRun> labelRunsOf(const ampc_tensor &tensor, bool finite);
  int64_t first = 0, count = INT64_MAX, period = INT64_MAX / 2;
};
/// Runs of equal limits; a single run if all elements have the same limits. `finite`: as in Limits.
std::vector<LabelRun> labelRunsOf(const ampc_tensor &tensor, bool finite);
} // namespace ampc
#endif
