// Limits of an input's integers: uniform, or in runs along the elements of a row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ampc/LabelRuns.h"

using namespace ampc;

std::vector<LabelRun> ampc::labelRunsOf(const ampc_tensor &tensor, bool finite) {
  std::vector<LabelRun> runs(std::max(1, tensor.label_run_count));
  if (!tensor.label_run_count) {
    runs[0].limits = {finite, tensor.label_limit, tensor.label_ignore, tensor.label_least};
    return runs;
  }
  int64_t first = 0;
  const int64_t *numbers = tensor.label_runs;
  for (LabelRun &run : runs) {
    run.first = first;
    run.count = numbers[0];
    run.limits = {finite, numbers[1], numbers[2], numbers[3]};
    first += run.count;
    numbers += 4;
  }
  for (LabelRun &run : runs)
    run.period = first;
  return runs;
}
