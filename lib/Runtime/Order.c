// Conversion of state tensors between memory order and the logical layout of callers and files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Internal.h"
#include <string.h>

int64_t ampc_rt_memory_index(const ampc_tensor *tensor, int64_t element) {
  if (!tensor->memory_rank)
    return element;
  int64_t place = 0;
  for (int32_t dim = tensor->memory_rank - 1; dim >= 0; --dim) {
    place += element % ampc_rt_memory_dims(tensor)[dim] * ampc_rt_memory_strides(tensor)[dim];
    element /= ampc_rt_memory_dims(tensor)[dim];
  }
  return place;
}

int64_t ampc_rt_memory_run(const ampc_tensor *tensor, int64_t element, int64_t most,
                           int64_t *stride) {
  *stride = 1;
  if (!tensor->memory_rank)
    return most;
  int32_t last = tensor->memory_rank - 1;
  int64_t length = ampc_rt_memory_dims(tensor)[last];
  *stride = ampc_rt_memory_strides(tensor)[last];
  int64_t left = length - element % length;
  return left < most ? left : most;
}

/* Strided copy of `count` elements. `size` is a constant at each call, so that memcpy becomes one
   load and one store; `to_step` and `from_step` are strides in bytes. */
static inline void copyElements(unsigned char *to, int64_t to_step, const unsigned char *from,
                                int64_t from_step, int64_t count, size_t size) {
  for (int64_t i = 0; i < count; ++i)
    memcpy(to + i * to_step, from + i * from_step, size);
}

static void copyRow(unsigned char *to, int64_t to_step, const unsigned char *from,
                    int64_t from_step, int64_t count, int64_t size) {
  switch (size) {
  case 8:
    return copyElements(to, to_step, from, from_step, count, 8);
  case 4:
    return copyElements(to, to_step, from, from_step, count, 4);
  case 2:
    return copyElements(to, to_step, from, from_step, count, 2);
  default:
    return copyElements(to, to_step, from, from_step, count, 1);
  }
}

/* Copies the bytes [begin, begin + bytes) of the logical layout, one run of the last memory
   dimension at a time. */
static void copy(const ampc_tensor *tensor, unsigned char *memory, int64_t begin, int64_t bytes,
                 unsigned char *rows, bool to_rows) {
  int64_t size = ampc_rt_dtype_bytes(tensor->dtype), end = (begin + bytes) / size;
  for (int64_t at = begin / size, count, stride; at < end; at += count) {
    count = ampc_rt_memory_run(tensor, at, end - at, &stride);
    unsigned char *place = memory + ampc_rt_memory_index(tensor, at) * size;
    if (to_rows)
      copyRow(rows, size, place, stride * size, count, size);
    else
      copyRow(place, stride * size, rows, size, count, size);
    rows += count * size;
  }
}

void ampc_rt_to_logical(const ampc_tensor *tensor, const unsigned char *memory, int64_t begin,
                        int64_t bytes, unsigned char *rows) {
  if (tensor->memory_rank)
    copy(tensor, (unsigned char *)memory, begin, bytes, rows, true);
  else
    memcpy(rows, memory + begin, (size_t)bytes);
}

void ampc_rt_from_logical(const ampc_tensor *tensor, unsigned char *memory,
                          const unsigned char *rows) {
  if (tensor->memory_rank)
    copy(tensor, memory, 0, tensor->bytes, (unsigned char *)rows, false);
  else
    memcpy(memory, rows, (size_t)tensor->bytes);
}

/* One run of elements at a time that has a stride in both layouts. */
void ampc_rt_copy_source(const ampc_state *state, const ampc_slot *slot) {
  const ampc_slot *source = &state->model->slots[slot->source - 1];
  const ampc_tensor *tensor = &slot->tensor, *other = &source->tensor;
  unsigned char *to = ampc_rt_slot_data(state, slot), *from = ampc_rt_slot_data(state, source);
  int64_t size = ampc_rt_dtype_bytes(tensor->dtype), end = tensor->bytes / size;
  for (int64_t at = 0, count; at < end; at += count) {
    int64_t stride, step;
    count = ampc_rt_memory_run(tensor, at, end - at, &stride);
    count = ampc_rt_memory_run(other, at, count, &step);
    copyRow(to + ampc_rt_memory_index(tensor, at) * size, stride * size,
            from + ampc_rt_memory_index(other, at) * size, step * size, count, size);
  }
}
