// Knobs: numbers of the state that callers change, each within a range.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Internal.h"
#include <string.h>

static double readKnob(const ampc_slot *slot, const void *data) {
  double value = 0; /* room for either type; `data` has any alignment */
  memcpy(&value, data, (size_t)slot->tensor.bytes);
  return ampc_rt_read_float(&value, slot->tensor.dtype);
}

/* Decimal exponent of a positive finite number: 250 -> 2. `scaled`: the number / 10^exponent. */
static int exponentOf(double value, double *scaled) {
  int exponent = 0;
  for (; value >= 10; value /= 10)
    ++exponent;
  for (; value < 1; value *= 10)
    --exponent;
  *scaled = value;
  return exponent;
}

enum { DIGITS = 8 };

/* `count` digits of a number below 10^count, the decimal point behind the first `whole`. */
static void putDigits(ampc_rt_text *text, uint64_t number, int count, int whole) {
  char digits[24];
  for (int i = count; i-- > 0; number /= 10)
    digits[i] = (char)('0' + number % 10);
  while (count > whole && digits[count - 1] == '0')
    --count;
  for (int i = 0; i < count; ++i) {
    if (i == whole)
      ampc_rt_put_char(text, '.');
    ampc_rt_put_char(text, digits[i]);
  }
}

/* 0.25, 1e-07; eight digits, which tell an f32 number from its neighbours beyond a bound. */
static void putReal(ampc_rt_text *text, double value) {
  if (value != value || value - value != 0) {
    ampc_rt_put(text, value != value ? "NaN" : value < 0 ? "-infinity" : "infinity");
    return;
  }
  if (value < 0)
    ampc_rt_put_char(text, '-');
  double scaled = 0, magnitude = value < 0 ? -value : value;
  int exponent = magnitude > 0 ? exponentOf(magnitude, &scaled) : 0;
  uint64_t digits = (uint64_t)(scaled * 1e7 + 0.5);
  if (digits >= 100000000) { /* 9.99999999 */
    digits /= 10;
    ++exponent;
  }
  if (exponent >= 0 && exponent < DIGITS) {
    putDigits(text, digits, DIGITS, exponent + 1);
  } else if (exponent < 0 && exponent >= -4) {
    putDigits(text, digits, DIGITS - exponent, 1);
  } else {
    putDigits(text, digits, DIGITS, 1);
    ampc_rt_tell(text, "e%d", (int64_t)exponent);
  }
}

uint64_t ampc_rt_hash_knobs(const ampc_state *state) {
  uint64_t hash = 0;
  for (int32_t s = 0; s < state->model->slot_count && !state->model->device; ++s) {
    const ampc_slot *slot = &state->model->slots[s];
    uint64_t bits = 0;
    if (!slot->range)
      continue;
    memcpy(&bits, ampc_rt_slot_data(state, slot), (size_t)slot->tensor.bytes);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15u; /* odd: equal hashes of one knob are equal bits */
    hash ^= hash >> 32;
  }
  return hash;
}

ampc_status ampc_rt_check_knob(const ampc_slot *slot, const void *data, const char *path,
                               char *error) {
  if (!slot->range)
    return AMPC_OK;
  double value = readKnob(slot, data), low = slot->range[0], high = slot->range[1];
  if (value >= low && value <= high)
    return AMPC_OK;
  ampc_rt_text text = {error, AMPC_ERROR_BYTES, 0};
  if (path)
    ampc_rt_tell(&text, "load: %s: tensor '%s'", path, slot->tensor.name);
  else
    ampc_rt_tell(&text, "set: '%s'", slot->tensor.name);
  ampc_rt_put(&text, ": expected a number in [");
  putReal(&text, low);
  ampc_rt_put(&text, ", ");
  putReal(&text, high);
  ampc_rt_put(&text, "], but got ");
  putReal(&text, value);
  return path ? AMPC_E_CKPT_MISMATCH : AMPC_E_ARG;
}
