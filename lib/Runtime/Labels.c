// Label checks: limits of the integers by which callers choose table rows and classes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Run.h"

static int64_t rowsOf(const ampc_tensor *input) { return input->rank ? input->dims[0] : 1; }

bool ampc_rt_next_labels(const ampc_tensor *input, ampc_labels *labels) {
  if (!input->label_run_count) {
    labels->width = labels->period = ampc_rt_element_count(input);
    labels->least = input->label_least;
    labels->limit = !input->label_limit && input->dtype == AMPC_I1 ? 2 : input->label_limit;
    labels->ignore = input->label_limit ? input->label_ignore : 0; /* 0 is in any range */
    return labels->limit && labels->run++ == 0;
  }
  for (int32_t r = 0; labels->run == 0 && r < input->label_run_count; ++r)
    labels->period += input->label_runs[4 * r];
  while (labels->run < input->label_run_count) {
    const int64_t *run = &input->label_runs[4 * labels->run++];
    labels->first += labels->width;
    labels->width = run[0];
    labels->limit = run[1];
    labels->ignore = run[2];
    labels->least = run[3];
    if (labels->limit)
      return true;
  }
  return false;
}

/* True if a block of labels is within the limits; branch-free, at the speed of memory. */
#define AMPC_ALL_WITHIN(type)                                                                      \
  {                                                                                                \
    const type *values = (const type *)data + begin;                                               \
    for (int64_t i = 0; i < count; ++i)                                                            \
      outside |= (values[i] < labels->least) | (values[i] >= labels->limit);                       \
    break;                                                                                         \
  }
static bool areWithin(const void *data, int32_t dtype, int64_t begin, int64_t count,
                      const ampc_labels *labels) {
  bool outside = false;
  switch (dtype) {
  case AMPC_I64:
    AMPC_ALL_WITHIN(int64_t)
  case AMPC_I32:
    AMPC_ALL_WITHIN(int32_t)
  case AMPC_I16:
    AMPC_ALL_WITHIN(int16_t)
  case AMPC_I8:
    AMPC_ALL_WITHIN(int8_t)
  default:
    AMPC_ALL_WITHIN(uint8_t)
  }
  return !outside;
}
#undef AMPC_ALL_WITHIN

static bool accepts(const ampc_labels *labels, int64_t value) {
  return (value >= labels->least && value < labels->limit) || value == labels->ignore;
}

/* The first element in [begin, end) that is not accepted, or end. */
static int64_t findWrong(const ampc_tensor *input, const void *data, const ampc_labels *labels,
                         int64_t begin, int64_t end) {
  enum { BLOCK = 4096 };
  for (int64_t block = begin, next; block < end; block = next) {
    next = end - block < BLOCK ? end : block + BLOCK;
    if (areWithin(data, input->dtype, block, next - block, labels))
      continue;
    for (int64_t i = block; i < next; ++i)
      if (!accepts(labels, ampc_rt_read_int(data, input->dtype, i)))
        return i;
  }
  return end;
}

ampc_status ampc_rt_check_labels(const ampc_program *program, const ampc_tensor *input,
                                 const void *data, int64_t valid, char *error) {
  int64_t count = ampc_rt_element_count(input);
  if (input->batched)
    count = count / rowsOf(input) * valid;
  int64_t wrong = count;
  ampc_labels labels = {0};
  while (ampc_rt_next_labels(input, &labels))
    for (int64_t at = labels.first; at < wrong; at += labels.period) {
      int64_t end = at + labels.width < wrong ? at + labels.width : wrong;
      int64_t found = findWrong(input, data, &labels, at, end);
      if (found < end)
        wrong = found;
    }
  return wrong == count ? AMPC_OK
                        : ampc_rt_refuse_label(program, input, wrong,
                                               ampc_rt_read_int(data, input->dtype, wrong), error);
}

ampc_status ampc_rt_refuse_label(const ampc_program *program, const ampc_tensor *input,
                                 int64_t element, int64_t value, char *error) {
  int64_t width = ampc_rt_element_count(input) / rowsOf(input);
  ampc_labels labels = {0};
  while (ampc_rt_next_labels(input, &labels)) {
    int64_t place = element % labels.period - labels.first;
    if (place >= 0 && place < labels.width)
      break;
  }
  const char *format =
      width > 1 ? "%s: input '%s': expected a value in [%d, %d), but got %d in row %d, element %d"
                : "%s: input '%s': expected a value in [%d, %d), but got %d in row %d";
  return ampc_rt_fail(error, AMPC_E_ARG, format, program->name, input->name, labels.least,
                      labels.limit, value, element / width, element % width);
}
