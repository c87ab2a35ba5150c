// Reads a checkpoint. The whole file is read and checked before the first byte of the state
// changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Load.h"
#include "lib/Runtime/Device.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

ampc_status ampc_rt_load_damaged(const ampc_rt_loading *load, const char *what) {
  return ampc_rt_fail(load->state->error, AMPC_E_CKPT_MISMATCH,
                      "load: %s: damaged file: expected %s", load->path, what);
}

static ampc_status readAt(const ampc_rt_loading *load, int64_t offset, unsigned char *data,
                          size_t bytes) {
  while (bytes) {
    ssize_t got = pread(load->file, data, bytes < 1u << 30 ? bytes : 1u << 30, offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return ampc_rt_fail(load->state->error, AMPC_E_IO, "load: %s: %s", load->path,
                          ampc_rt_errno_text(errno));
    if (got == 0)
      return ampc_rt_load_damaged(load, "more bytes");
    data += got;
    bytes -= (size_t)got;
    offset += got;
  }
  return AMPC_OK;
}

/* Reads the header into the state's buffer. */
static ampc_status readHeader(ampc_rt_loading *load, ampc_rt_json *json) {
  char *buffer = (char *)ampc_rt_at(load->state, load->state->layout.header);
  int64_t size = lseek(load->file, 0, SEEK_END);
  uint64_t length;
  if (size < 0)
    return ampc_rt_fail(load->state->error, AMPC_E_IO, "load: %s: %s", load->path,
                        ampc_rt_errno_text(errno));
  if (size < 8)
    return ampc_rt_load_damaged(load, "at least 8 bytes");
  ampc_status status = readAt(load, 0, (unsigned char *)&length, 8);
  if (status)
    return status;
  if (length > (uint64_t)size - 8)
    return ampc_rt_load_damaged(load, "a header that ends inside the file");
  if (length > load->state->layout.header_bytes)
    return ampc_rt_fail(load->state->error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: expected a header of at most %u bytes, but got %u", load->path,
                        (uint64_t)load->state->layout.header_bytes, length);
  load->data_begin = 8 + (int64_t)length;
  load->data_bytes = size - load->data_begin;
  json->cursor = buffer;
  json->end = buffer + length;
  json->failure = NULL;
  if ((status = readAt(load, 8, (unsigned char *)buffer, length)))
    return status;
  return ampc_rt_check_header(&load->proof, buffer, length)
             ? AMPC_OK
             : ampc_rt_load_damaged(load, "a header with the recorded hash");
}

/* Files without runs are older: nothing is known of skipped steps, so updates stand for runs. */
static uint64_t runsOf(const ampc_rt_loading *load, int32_t p) {
  const ampc_program *program = &load->state->model->programs[p];
  if (load->has_runs || program->step_slot < 0)
    return ampc_rt_staged_runs(load)[p];
  const ampc_slot *slot = &load->state->model->slots[program->step_slot];
  return (uint64_t)ampc_rt_read_int(ampc_rt_slot_data(load->state, slot), slot->tensor.dtype, 0);
}

/* Reads a tensor into `place` and continues the hash with the tensor's bytes. A tensor without a
   destination passes through the header's buffer, which is free after parsing. */
static ampc_status readTensor(const ampc_rt_loading *load, const ampc_rt_range *range,
                              unsigned char *place, uint64_t *hash) {
  unsigned char *buffer = ampc_rt_at(load->state, load->state->layout.header);
  int64_t chunk = place ? 1 << 20 : (int64_t)load->state->layout.header_bytes / 8 * 8;
  for (int64_t at = range->begin; at < range->end; at += chunk) {
    int64_t bytes = range->end - at < chunk ? range->end - at : chunk;
    unsigned char *data = place ? place + (at - range->begin) : buffer;
    ampc_status status = readAt(load, load->data_begin + at, data, (size_t)bytes);
    if (status)
      return status;
    *hash = ampc_rt_hash_bytes(*hash, data, (size_t)bytes);
  }
  return AMPC_OK;
}

/* Destination of the next tensor; advances `stage`. */
static unsigned char *nextDestination(const ampc_rt_range *range, unsigned char **stage) {
  unsigned char *place = *stage;
  if (range->slot >= 0)
    *stage += range->end - range->begin;
  return range->slot < 0 ? NULL : place;
}

/* Proves that all data can be read, and finds flipped bits where the writer left a hash, before the
   first byte of the state changes. */
static ampc_status readData(const ampc_rt_loading *load, unsigned char *stage) {
  uint64_t hash = AMPC_DATA_HASH_SEED;
  for (int32_t i = 0; i < load->count; ++i) {
    unsigned char *place = nextDestination(&load->ranges[i], &stage);
    ampc_status status = readTensor(load, &load->ranges[i], place, &hash);
    if (status)
      return status;
  }
  return load->proof.has_data_hash && hash != load->proof.data_hash
             ? ampc_rt_load_damaged(load, "data with the recorded hash")
             : AMPC_OK;
}

static ampc_status checkNumbers(const ampc_rt_loading *load, unsigned char *stage) {
  for (int32_t i = 0; i < load->count; ++i) {
    unsigned char *place = nextDestination(&load->ranges[i], &stage);
    const ampc_slot *slot = place ? &load->state->model->slots[load->ranges[i].slot] : NULL;
    if (slot && !ampc_rt_is_valid_count(slot, place))
      return ampc_rt_fail(load->state->error, AMPC_E_CKPT_MISMATCH,
                          "load: %s: tensor '%s': " AMPC_EXPECTED_COUNT, load->path,
                          slot->tensor.name);
    ampc_status status =
        slot ? ampc_rt_check_knob(slot, place, load->path, load->state->error) : AMPC_OK;
    if (status)
      return status;
  }
  return AMPC_OK;
}

static void copyToState(const ampc_rt_loading *load, unsigned char *stage) {
  for (int32_t i = 0; i < load->count; ++i) {
    unsigned char *place = nextDestination(&load->ranges[i], &stage);
    if (place) {
      const ampc_slot *slot = &load->state->model->slots[load->ranges[i].slot];
      ampc_rt_from_logical(&slot->tensor, ampc_rt_slot_data(load->state, slot), place);
    }
  }
}

/* Copies that the file lacks take the loaded values of their sources. */
static void copySources(const ampc_rt_loading *load) {
  const ampc_model *model = load->state->model;
  for (int32_t s = 0; s < model->slot_count; ++s) {
    const ampc_slot *slot = &model->slots[s];
    if (slot->source && !ampc_rt_is_loaded(load, s) && ampc_rt_is_loaded(load, slot->source - 1))
      ampc_rt_copy_source(load->state, slot);
  }
}

typedef struct {
  const ampc_rt_loading *load;
  unsigned char *stage;
  size_t stage_bytes;
} Destination;

/* Prefaults a thread's share of the destination: a single thread reads and copies, but pages should
   lie on the memory node of the thread that uses the pages in a step. */
static void prefaultShare(void *argument, int32_t share) {
  const Destination *to = argument;
  const ampc_state *state = to->load->state;
  int32_t shares = state->layout.thread_count;
  ampc_rt_touch(to->stage, to->stage_bytes, share, shares);
  for (int32_t i = 0; i < to->load->count; ++i)
    if (to->load->ranges[i].slot >= 0) {
      const ampc_slot *slot = &state->model->slots[to->load->ranges[i].slot];
      ampc_rt_touch(ampc_rt_slot_data(state, slot), (size_t)slot->tensor.bytes, share, shares);
    }
}

/* Copies the state from the device first: tensors that the checkpoint lacks keep their values. */
static ampc_status pullState(const ampc_rt_loading *load) {
  const ampc_model *model = load->state->model;
  return model->device ? model->device->pull(load->state, load->state->error) : AMPC_OK;
}

/* The tensors wait in the arena, which is free between calls, or, where that is too small, in
   memory that the system lends until the end of the call. */
static ampc_status loadData(const ampc_rt_loading *load) {
  size_t bytes = 0;
  for (int32_t i = 0; i < load->count; ++i)
    if (load->ranges[i].slot >= 0)
      bytes += (size_t)(load->ranges[i].end - load->ranges[i].begin);
  bool fits = !load->state->model->device && bytes <= (size_t)load->state->model->arena_bytes;
  unsigned char *stage = ampc_rt_at(load->state, load->state->layout.arena);
  if (!fits)
    stage = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stage == MAP_FAILED)
    return ampc_rt_fail(load->state->error, AMPC_E_MEMORY, "load: could not map %u bytes",
                        (uint64_t)bytes);
  Destination to = {load, stage, fits ? bytes : 0};
  ampc_rt_parallel(load->state, prefaultShare, &to);
  ampc_status status = readData(load, stage);
  if (!status)
    status = checkNumbers(load, stage);
  if (!status)
    status = pullState(load);
  if (!status) {
    copyToState(load, stage);
    copySources(load);
  }
  if (!fits)
    munmap(stage, bytes);
  return status;
}

static ampc_status loadFile(ampc_rt_loading *load) {
  ampc_rt_json json;
  ampc_status status;
  if ((status = readHeader(load, &json)) || (status = ampc_rt_parse_header(load, &json)) ||
      (status = ampc_rt_check_complete(load)) || (status = loadData(load)))
    return status;
  for (int32_t p = 0; p < load->state->model->program_count && !load->weights_only; ++p)
    if (ampc_rt_takes_data(&load->state->model->programs[p]))
      ampc_rt_runs_data(load->state)[p] = runsOf(load, p);
  memset(ampc_rt_ready_data(load->state), 0, (size_t)load->state->model->program_count);
  const ampc_model *model = load->state->model;
  memset(ampc_rt_skips_data(load->state), 0, sizeof(uint64_t) * (size_t)model->program_count);
  if (model->device && (status = model->device->push(load->state, load->state->error)))
    return status;
  if ((status = ampc_rt_derive(load->state)))
    return status;
  if (!load->weights_only && load->plan_hash != load->state->model->plan_hash &&
      load->state->hooks.on_log)
    load->state->hooks.on_log(load->state->hooks.context,
                              "load: the checkpoint was written by another build of the model; "
                              "equal bits are not promised");
  return AMPC_OK;
}

/* `load` has the state, the path and the restrictions. */
static ampc_status loadPath(ampc_rt_loading load) {
  ampc_state *state = load.state;
  const char *path = load.path;
  memset(ampc_rt_staged_runs(&load), 0, sizeof(uint64_t) * (size_t)state->model->program_count);
  load.ranges = (ampc_rt_range *)ampc_rt_at(state, state->layout.ranges);
  /* Without waiting for the writer of a FIFO, which has no length and is refused. */
  load.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (load.file < 0)
    return ampc_rt_fail(state->error, AMPC_E_IO, "load: %s: %s", path, ampc_rt_errno_text(errno));
  ampc_status status = loadFile(&load);
  close(load.file);
  return status;
}

ampc_status ampc_rt_load_values(ampc_state *state, const char *path) {
  ampc_rt_loading load = {.state = state, .path = path, .weights_only = true, .values_only = true};
  return loadPath(load);
}

ampc_status ampc_rt_load(ampc_state *state, const char *path, uint32_t flags) {
  if (!state)
    return AMPC_E_ARG;
  state->error[0] = 0;
  if (!path || !*path)
    return ampc_rt_fail(state->error, AMPC_E_ARG, "load: path is missing");
  if (flags > AMPC_LOAD_AVERAGES)
    return ampc_rt_fail(
        state->error, AMPC_E_ARG,
        "load: expected flags of 0, AMPC_LOAD_WEIGHTS or AMPC_LOAD_AVERAGES, but got %u",
        (uint64_t)flags);
  bool averages = flags == AMPC_LOAD_AVERAGES;
  if (averages && !ampc_rt_has_averages(state->model))
    return ampc_rt_fail(state->error, AMPC_E_ARG,
                        "load: expected a step with ema_decay for averages, but %s has none",
                        state->model->name);
  ampc_status status = ampc_rt_enter_process(state, state->error);
  if (status)
    return status;
  ampc_rt_note_change(state);
  ampc_rt_loading load = {
      .state = state, .path = path, .weights_only = flags != AMPC_LOAD_ALL, .averages = averages};
  status = loadPath(load);
  ampc_rt_note_change(state);
  return status;
}
