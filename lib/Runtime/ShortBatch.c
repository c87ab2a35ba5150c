// Short batches: kernels run on a whole batch, padded with copies of the first row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of a row give finite results if the data do, unlike zeros (logarithm, division), and
// contain only valid table indices. Losses and statistics ignore the padding.
// Example: batch 8, 5 valid rows: [r0 r1 r2 r3 r4 r0 r0 r0]. Without valid rows the caller's first
// row is padding, too.
#include "lib/Runtime/Run.h"
#include <string.h>

static bool mayBeShort(const ampc_program *program) {
  return program->short_batch && program->batch > 1;
}

/* Bytes of the address table [count] and, behind it, of the padded tensors. */
static size_t roomFor(const ampc_tensor *tensors, int32_t count) {
  size_t bytes = ampc_rt_align(sizeof(void *) * (size_t)count);
  for (int32_t i = 0; i < count; ++i)
    if (tensors[i].batched)
      bytes += ampc_rt_align((size_t)tensors[i].bytes);
  return bytes;
}

size_t ampc_rt_short_batch_bytes(const ampc_model *model, bool training) {
  size_t most = 0;
  for (int32_t p = 0; p < model->program_count; ++p) {
    const ampc_program *program = &model->programs[p];
    if (!mayBeShort(program) || (!training && ampc_rt_is_training(program)))
      continue;
    size_t bytes = roomFor(program->inputs, program->input_count) +
                   roomFor(program->outputs, program->output_count);
    if (bytes > most)
      most = bytes;
  }
  return most;
}

/* Writes the address table at `room`: the given address, or a padded buffer behind the table for a
   tensor with a batch dimension. */
static void **place(const ampc_tensor *tensors, int32_t count, const void *const *given,
                    unsigned char *room) {
  void **addresses = (void **)room;
  unsigned char *next = room + ampc_rt_align(sizeof(void *) * (size_t)count);
  for (int32_t i = 0; i < count; ++i) {
    addresses[i] = (void *)(uintptr_t)given[i];
    if (!tensors[i].batched)
      continue;
    addresses[i] = next;
    next += ampc_rt_align((size_t)tensors[i].bytes);
  }
  return addresses;
}

void ampc_rt_pad_batch(ampc_rt_call *call) {
  const ampc_program *program = call->program;
  unsigned char *room = call->room;
  void **inputs = place(program->inputs, program->input_count, call->inputs, room);
  for (int32_t i = 0; i < program->input_count; ++i) {
    if (!program->inputs[i].batched)
      continue;
    size_t row = (size_t)program->inputs[i].bytes / (size_t)program->batch;
    unsigned char *whole = inputs[i];
    int32_t given = call->control.valid ? call->control.valid : 1;
    memcpy(whole, call->inputs[i], row * (size_t)given);
    for (int32_t r = given; r < program->batch; ++r)
      memcpy(whole + row * (size_t)r, whole, row);
  }
  call->inputs = (const void *const *)inputs;
  room += roomFor(program->inputs, program->input_count);
  call->outputs =
      place(program->outputs, program->output_count, (const void *const *)call->outputs, room);
}

void ampc_rt_unpad_batch(const ampc_rt_call *call, void *const *outputs) {
  const ampc_program *program = call->program;
  for (int32_t i = 0; i < program->output_count; ++i)
    if (program->outputs[i].batched)
      memcpy(outputs[i], call->outputs[i],
             (size_t)program->outputs[i].bytes / (size_t)program->batch *
                 (size_t)call->control.valid);
}
