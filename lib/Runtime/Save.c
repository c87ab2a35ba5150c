// Writes a checkpoint: safetensors, in place of an older one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Checkpoint.h"
#include "lib/Runtime/Device.h"
#include "lib/Runtime/Replace.h"
#include <errno.h>
#include <string.h>

static void putJsonString(ampc_rt_text *text, const char *string) {
  ampc_rt_put_char(text, '"');
  for (; *string; ++string) {
    unsigned char c = (unsigned char)*string;
    if (c == '"' || c == '\\')
      ampc_rt_put_char(text, '\\');
    if (c < 0x20) {
      ampc_rt_put(text, "\\u00");
      ampc_rt_put_char(text, "0123456789abcdef"[c >> 4]);
      ampc_rt_put_char(text, "0123456789abcdef"[c & 15]);
    } else {
      ampc_rt_put_char(text, (char)c);
    }
  }
  ampc_rt_put_char(text, '"');
}

/* Visits a slot's bytes in the order of the file, in pieces of a multiple of 8 bytes except the
   last. Returns 0, or the first non-zero result of the visitor. Pieces of a tensor with a memory
   order of its own are converted in the buffer that a load uses for the ranges. */
typedef int (*Visit)(void *argument, const unsigned char *data, size_t bytes);
static int forEachPart(const ampc_state *state, const ampc_slot *slot, Visit visit,
                       void *argument) {
  const unsigned char *memory = ampc_rt_slot_data(state, slot);
  if (!slot->tensor.memory_rank)
    return visit(argument, memory, (size_t)slot->tensor.bytes);
  unsigned char *part = ampc_rt_at(state, state->layout.ranges);
  int64_t room = (int64_t)(sizeof(ampc_rt_range) * (size_t)state->layout.range_count) / 8 * 8;
  for (int64_t at = 0; at < slot->tensor.bytes; at += room) {
    int64_t left = slot->tensor.bytes - at;
    int64_t bytes = left < room ? left : room;
    ampc_rt_to_logical(&slot->tensor, memory, at, bytes, part);
    int failure = visit(argument, part, (size_t)bytes);
    if (failure)
      return failure;
  }
  return 0;
}

static int hashPart(void *argument, const unsigned char *data, size_t bytes) {
  uint64_t *hash = argument;
  *hash = ampc_rt_hash_bytes(*hash, data, bytes);
  return 0;
}

uint64_t ampc_rt_data_hash(const ampc_state *state) {
  uint64_t hash = AMPC_DATA_HASH_SEED;
  for (int32_t s = 0; s < state->model->slot_count; ++s) {
    const ampc_slot *slot = &state->model->slots[s];
    if (ampc_rt_is_saved(slot))
      forEachPart(state, slot, hashPart, &hash);
  }
  return hash;
}

/* Length in 8 bytes, then JSON, filled up with blanks to a multiple of 8 bytes. */
static size_t writeHeader(const ampc_state *state) {
  const ampc_model *model = state->model;
  char *start = (char *)ampc_rt_at(state, state->layout.header);
  ampc_rt_text text = {start + 8, state->layout.header_bytes - 8, 0};
  ampc_rt_put(&text, "{\"__metadata__\":{\"" AMPC_FORMAT_KEY "\":\"" AMPC_FORMAT
                     "\",\"" AMPC_VERSION_KEY "\":\"" AMPC_FORMAT_VERSION
                     "\",\"" AMPC_HEADER_HASH_KEY "\":\"0000000000000000\",\"model\":");
  putJsonString(&text, model->name);
  ampc_rt_print(&text,
                ",\"state_hash\":\"%x\",\"plan_hash\":\"%x\",\"" AMPC_DATA_HASH_KEY "\":\"%x\"",
                model->state_hash, model->plan_hash, ampc_rt_data_hash(state));
  for (int32_t p = 0; p < model->program_count; ++p)
    if (ampc_rt_takes_data(&model->programs[p]))
      ampc_rt_print(&text, ",\"" AMPC_RUNS_KEY "%s\":\"%x\"", model->programs[p].name,
                    ampc_rt_runs(state, p));
  for (int32_t p = 0; p < model->program_count; ++p)
    if (model->programs[p].optimizer) {
      ampc_rt_print(&text, ",\"" AMPC_RULES_KEY "%s\":", model->programs[p].name);
      putJsonString(&text, model->programs[p].optimizer);
    }
  ampc_rt_put_char(&text, '}');
  int64_t offset = 0;
  for (int32_t s = 0; s < model->slot_count; ++s) {
    const ampc_tensor *tensor = &model->slots[s].tensor;
    if (!ampc_rt_is_saved(&model->slots[s]))
      continue;
    ampc_rt_put_char(&text, ',');
    putJsonString(&text, tensor->name);
    ampc_rt_print(&text, ":{\"dtype\":\"%s\",\"shape\":[", ampc_rt_dtype_name(tensor->dtype));
    for (int32_t i = 0; i < tensor->rank; ++i)
      ampc_rt_print(&text, i ? ",%d" : "%d", tensor->dims[i]);
    ampc_rt_print(&text, "],\"data_offsets\":[%d,%d]}", offset, offset + tensor->bytes);
    offset += tensor->bytes;
  }
  ampc_rt_put_char(&text, '}');
  while (text.length % 8)
    ampc_rt_put_char(&text, ' ');
  uint64_t length = text.length;
  memcpy(start, &length, 8);
  uint64_t hash = ampc_rt_header_hash(start + 8, text.length);
  char digits[AMPC_HASH_DIGITS + 1];
  ampc_rt_text room = {digits, sizeof digits, 0};
  ampc_rt_print(&room, "%x", hash);
  memcpy(ampc_rt_find_header_hash(start + 8, text.length), digits, AMPC_HASH_DIGITS);
  return 8 + text.length;
}

static int writePart(void *argument, const unsigned char *data, size_t bytes) {
  return ampc_rt_write_all(*(const int *)argument, data, bytes);
}

static int writeState(void *argument, int file) {
  const ampc_state *state = argument;
  uint64_t changes = atomic_load(&state->changes);
  size_t header = writeHeader(state);
  int failure = ampc_rt_write_all(file, ampc_rt_at(state, state->layout.header), header);
  for (int32_t s = 0; s < state->model->slot_count && !failure; ++s) {
    const ampc_slot *slot = &state->model->slots[s];
    if (ampc_rt_is_saved(slot))
      failure = forEachPart(state, slot, writePart, &file);
  }
  bool is_same = changes % 2 == 0 && atomic_load(&state->changes) == changes;
  return failure || is_same ? failure : ECANCELED;
}

ampc_status ampc_rt_save(ampc_state *state, const char *path) {
  if (!state)
    return AMPC_E_ARG;
  state->error[0] = 0;
  if (!path || !*path)
    return ampc_rt_fail(state->error, AMPC_E_ARG, "save: path is missing");
  if (state->model->device) {
    ampc_status status = ampc_rt_enter_process(state, state->error);
    if (status || (status = state->model->device->pull(state, state->error)))
      return status;
  }
  int failure = ampc_rt_replace_file(path, writeState, state, true);
  if (state->model->device)
    state->model->device->forget(state);
  if (failure == ECANCELED)
    return ampc_rt_fail(state->error, AMPC_E_ARG,
                        "save: %s: expected no call that changes the state during the save, but "
                        "got a call; the file is unchanged",
                        path);
  if (failure)
    return ampc_rt_fail(state->error, AMPC_E_IO, "save: %s: %s", path, ampc_rt_errno_text(failure));
  return AMPC_OK;
}
