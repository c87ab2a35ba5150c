// Order of tensors in a checkpoint by offset, without gaps or overlaps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Checkpoint.h"

/* Shell sort by place; equal starts (empty tensors) by end. */
static void sortByPlace(ampc_rt_range *ranges, int32_t count) {
  for (int32_t gap = count / 2; gap; gap /= 2)
    for (int32_t i = gap; i < count; ++i) {
      ampc_rt_range range = ranges[i];
      int32_t j = i;
      for (;
           j >= gap && (ranges[j - gap].begin > range.begin ||
                        (ranges[j - gap].begin == range.begin && ranges[j - gap].end > range.end));
           j -= gap)
        ranges[j] = ranges[j - gap];
      ranges[j] = range;
    }
}

int64_t ampc_rt_sort_ranges(ampc_rt_range *ranges, int32_t count) {
  sortByPlace(ranges, count);
  int64_t end = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (ranges[i].begin != end || ranges[i].end < end)
      return -1;
    end = ranges[i].end;
  }
  return end;
}
