// Layout of the block of memory of a state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Device.h"
#include "lib/Runtime/Exchange.h"
#include <string.h>

/* Addresses that a run of the program keeps. */
static int32_t operandRoom(const ampc_model *model, const ampc_program *program) {
  int32_t most = 1;
  for (const ampc_entry *entry = program->entries; entry < program->entries + program->entry_count;
       ++entry) {
    int32_t count = entry->operand_count;
    if (entry->kind == AMPC_ENTRY_CALL)
      count += operandRoom(model, &model->programs[entry->number]);
    if (count > most)
      most = count;
  }
  return most;
}

int32_t ampc_rt_operand_room(const ampc_model *model) {
  int32_t most = 1;
  for (int32_t p = 0; p < model->program_count; ++p) {
    int32_t room = operandRoom(model, &model->programs[p]);
    if (room > most)
      most = room;
  }
  return most;
}

int32_t ampc_rt_max_outputs(const ampc_model *model) {
  int32_t most = 1;
  for (int32_t p = 0; p < model->program_count; ++p)
    if (model->programs[p].output_count > most)
      most = model->programs[p].output_count;
  return most;
}

/* Over all tiers: a checked size must not depend on the machine. */
size_t ampc_rt_max_scratch(const ampc_model *model) {
  int64_t most = AMPC_ALIGN;
  for (int32_t k = 0; k < model->kernel_count; ++k)
    for (int32_t t = 0; t < model->tier_count && model->kernels[k].code; ++t)
      if (model->kernels[k].code[t].scratch_bytes > most)
        most = model->kernels[k].code[t].scratch_bytes;
  return ampc_rt_align((size_t)most);
}

/* Bytes of the state block; without split, gradients at its end are left out. */
static size_t slotBytes(const ampc_model *model, bool split) {
  int64_t end = 0;
  for (int32_t s = 0; s < model->slot_count; ++s) {
    const ampc_slot *slot = &model->slots[s];
    if ((split || slot->role != AMPC_ROLE_GRADIENT) && slot->offset + slot->tensor.bytes > end)
      end = slot->offset + slot->tensor.bytes;
  }
  return (size_t)end;
}

static size_t rulesBytes(const ampc_program *program) {
  return program->optimizer ? 32 + 6 * (strlen(program->name) + strlen(program->optimizer)) : 0;
}

/* An upper bound of the header of this model's checkpoints: names may need escapes of six
 * characters. */
static size_t headerBytes(const ampc_model *model) {
  size_t bytes = 640 + 6 * strlen(model->name);
  for (int32_t s = 0; s < model->slot_count; ++s)
    bytes +=
        128 + 6 * strlen(model->slots[s].tensor.name) + 21 * (size_t)model->slots[s].tensor.rank;
  for (int32_t p = 0; p < model->program_count; ++p)
    bytes += 32 + 6 * strlen(model->programs[p].name) + rulesBytes(&model->programs[p]);
  return bytes;
}

static size_t reserve(size_t *total, size_t bytes) {
  size_t place = *total;
  *total = ampc_rt_align(place + bytes);
  return place;
}

/* Reserve for checkpoints of other tools, with longer headers and more tensors than the model. */
enum { EXTRA_HEADER_BYTES = 65536, EXTRA_RANGES = 1024 };

ampc_rt_layout ampc_rt_layout_of(const ampc_model *model, const ampc_options *options) {
  ampc_rt_layout layout;
  memset(&layout, 0, sizeof layout);
  const struct ampc_rt_device *device = model->device;
  layout.thread_count = device ? 1 : options->threads > 0 ? options->threads : ampc_rt_cpu_count();
  layout.slot_bytes = slotBytes(model, options->want_split);
  layout.scratch_stride = ampc_rt_max_scratch(model);
  layout.header_bytes = 2 * headerBytes(model) + EXTRA_HEADER_BYTES;
  layout.range_count = model->slot_count + EXTRA_RANGES;
  size_t total = ampc_rt_align(sizeof(ampc_state));
  layout.slots = reserve(&total, layout.slot_bytes);
  layout.arena = reserve(&total, device ? 0 : (size_t)model->arena_bytes);
  layout.scratch = reserve(&total, layout.scratch_stride * (size_t)layout.thread_count);
  layout.room = reserve(&total, device ? 0 : ampc_rt_short_batch_bytes(model, true));
  layout.operands = reserve(&total, sizeof(void *) * (size_t)ampc_rt_operand_room(model));
  layout.outputs = reserve(&total, (sizeof(void *) + sizeof(double) + AMPC_ALIGN) *
                                       (size_t)ampc_rt_max_outputs(model));
  layout.threads = reserve(&total, sizeof(ampc_rt_worker) * (size_t)layout.thread_count);
  layout.shares = reserve(&total, sizeof(ampc_rt_share) * (size_t)layout.thread_count);
  layout.header = reserve(&total, layout.header_bytes);
  layout.ranges = reserve(&total, sizeof(ampc_rt_range) * (size_t)layout.range_count);
  layout.runs = reserve(&total, 2 * sizeof(uint64_t) * (size_t)model->program_count);
  layout.ready = reserve(&total, sizeof(bool) * (size_t)model->program_count);
  layout.skips = reserve(&total, sizeof(uint64_t) * (size_t)model->program_count);
  layout.exchange_bytes = ampc_rt_exchange_bytes(model);
  layout.exchange = reserve(&total, layout.exchange_bytes);
  layout.device = reserve(&total, device ? device->bytes(model) : 0);
  layout.total = total;
  return layout;
}
