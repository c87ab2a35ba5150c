// Checks of inputs for infinite and NaN elements, on request of the caller.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Run.h"

/* True if a bit pattern in [begin, begin + count) has an exponent of ones; branch-free, at the
   speed of memory. No arithmetic on reals: a signaling NaN may trap in the host's floating-point
   environment. */
#define AMPC_HAS_EXPONENT(type, exponent)                                                          \
  {                                                                                                \
    const type *values = (const type *)data + begin;                                               \
    for (int64_t i = 0; i < count; ++i)                                                            \
      found |= (values[i] & (exponent)) == (exponent);                                             \
    break;                                                                                         \
  }
static bool hasNonFinite(const void *data, int32_t dtype, int64_t begin, int64_t count) {
  bool found = false;
  switch (dtype) {
  case AMPC_F64:
    AMPC_HAS_EXPONENT(uint64_t, 0x7ff0000000000000)
  case AMPC_F32:
    AMPC_HAS_EXPONENT(uint32_t, 0x7f800000)
  case AMPC_F16:
    AMPC_HAS_EXPONENT(uint16_t, 0x7c00)
  case AMPC_BF16:
    AMPC_HAS_EXPONENT(uint16_t, 0x7f80)
  default:
    break;
  }
  return found;
}
#undef AMPC_HAS_EXPONENT

/* The first infinite or NaN element in [0, count), or count. */
static int64_t findNonFinite(const void *data, int32_t dtype, int64_t count) {
  enum { BLOCK = 4096 };
  for (int64_t block = 0, next; block < count; block = next) {
    next = count - block < BLOCK ? count : block + BLOCK;
    if (!hasNonFinite(data, dtype, block, next - block))
      continue;
    while (!hasNonFinite(data, dtype, block, 1))
      ++block;
    return block;
  }
  return count;
}

ampc_status ampc_rt_check_finite(const ampc_program *program, const ampc_tensor *input,
                                 const void *data, int64_t valid, char *error) {
  int64_t count = ampc_rt_element_count(input), rows = input->rank ? input->dims[0] : 1;
  int64_t width = count / rows;
  if (input->batched)
    count = width * valid;
  int64_t found = findNonFinite(data, input->dtype, count);
  if (found == count)
    return AMPC_OK;
  const char *format =
      width > 1 ? "%s: input '%s': expected finite numbers, but row %d has infinity or NaN as "
                  "element %d"
                : "%s: input '%s': expected finite numbers, but row %d is infinity or NaN";
  return ampc_rt_fail(error, AMPC_E_ARG, format, program->name, input->name, found / width,
                      found % width);
}
