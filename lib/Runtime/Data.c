// Elements of tensors by type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Internal.h"
#include <string.h>

const char *ampc_rt_dtype_name(int32_t dtype) {
  switch (dtype) {
  case AMPC_F32:
    return "F32";
  case AMPC_F64:
    return "F64";
  case AMPC_F16:
    return "F16";
  case AMPC_BF16:
    return "BF16";
  case AMPC_I1:
    return "BOOL";
  case AMPC_I8:
    return "I8";
  case AMPC_I16:
    return "I16";
  case AMPC_I32:
    return "I32";
  case AMPC_I64:
    return "I64";
  default:
    return "U8";
  }
}

int64_t ampc_rt_element_count(const ampc_tensor *tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor->rank; ++i)
    count *= tensor->dims[i];
  return count;
}

static double widenF16(uint16_t half) {
  uint32_t exponent = half >> 10 & 31, mantissa = half & 0x3ff;
  double value;
  if (exponent == 31)
    value = mantissa ? __builtin_nan("") : __builtin_inf();
  else if (exponent == 0)
    value = mantissa / 16777216.0; /* 2^-24 */
  else
    value = (double)((uint64_t)(mantissa | 0x400) << exponent) / 33554432.0; /* 2^-25 */
  return half & 0x8000 ? -value : value;
}

double ampc_rt_read_float(const void *data, int32_t dtype) {
  switch (dtype) {
  case AMPC_F64:
    return *(const double *)data;
  case AMPC_F16:
    return widenF16(*(const uint16_t *)data);
  case AMPC_BF16: {
    uint32_t bits = (uint32_t)*(const uint16_t *)data << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  case AMPC_F32:
    return *(const float *)data;
  default:
    return (double)ampc_rt_read_int(data, dtype, 0);
  }
}

int64_t ampc_rt_read_int(const void *data, int32_t dtype, int64_t index) {
  switch (dtype) {
  case AMPC_I64:
    return ((const int64_t *)data)[index];
  case AMPC_I32:
    return ((const int32_t *)data)[index];
  case AMPC_I16:
    return ((const int16_t *)data)[index];
  case AMPC_I8:
    return ((const int8_t *)data)[index];
  case AMPC_F32:
    return (int64_t)((const float *)data)[index]; /* step counters may be floats */
  case AMPC_F64:
    return (int64_t)((const double *)data)[index];
  default:
    return ((const uint8_t *)data)[index];
  }
}

bool ampc_rt_is_valid_count(const ampc_slot *slot, const void *data) {
  if (slot->role != AMPC_ROLE_STEP)
    return true;
  int64_t value = 0;
  memcpy(&value, data, (size_t)slot->tensor.bytes);
  return ampc_rt_is_count((uint64_t)ampc_rt_read_int(&value, slot->tensor.dtype, 0));
}
