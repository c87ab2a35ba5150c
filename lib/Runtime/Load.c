// Reads a checkpoint. The whole file is read and checked before the first byte of the state
// changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Checkpoint.h"
#include "lib/Runtime/Device.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_RANK = 16 };

/* Progress of one load: the file, the parsed header, the tensors found. */
typedef struct {
  ampc_state *state;
  const char *path;
  bool weights_only; /* or fewer: */
  bool values_only;  /* tensor file with the initial values that the library lacks */
  bool averages;     /* parameters take the averages of ema_decay */
  int file;
  int64_t data_begin, data_bytes;
  ampc_rt_range *ranges;
  int32_t count;
  bool has_state_hash, has_plan_hash, has_runs;
  uint64_t state_hash, plan_hash;
  ampc_rt_proof proof;
  const char *model_name;        /* in the header; or null */
  const ampc_program *differing; /* program with other optimizers in the file; or null */
  const char *rules;             /* optimizers of `differing` in the file */
} Load;

/* Description of a tensor in the header. */
typedef struct {
  const char *name, *dtype;
  int64_t dims[MAX_RANK];
  int32_t rank;
  int64_t begin, end;
} Entry;

static ampc_status damaged(const Load *load, const char *what) {
  return ampc_rt_fail(load->state->error, AMPC_E_CKPT_MISMATCH,
                      "load: %s: damaged file: expected %s", load->path, what);
}

static ampc_status readAt(const Load *load, int64_t offset, unsigned char *data, size_t bytes) {
  while (bytes) {
    ssize_t got = pread(load->file, data, bytes < 1u << 30 ? bytes : 1u << 30, offset);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return ampc_rt_fail(load->state->error, AMPC_E_IO, "load: %s: %s", load->path,
                          ampc_rt_errno_text(errno));
    if (got == 0)
      return damaged(load, "more bytes");
    data += got;
    bytes -= (size_t)got;
    offset += got;
  }
  return AMPC_OK;
}

/* Reads the header into the state's buffer. */
static ampc_status readHeader(Load *load, ampc_rt_json *json) {
  char *buffer = (char *)ampc_rt_at(load->state, load->state->layout.header);
  int64_t size = lseek(load->file, 0, SEEK_END);
  uint64_t length;
  if (size < 0)
    return ampc_rt_fail(load->state->error, AMPC_E_IO, "load: %s: %s", load->path,
                        ampc_rt_errno_text(errno));
  if (size < 8)
    return damaged(load, "at least 8 bytes");
  ampc_status status = readAt(load, 0, (unsigned char *)&length, 8);
  if (status)
    return status;
  if (length > (uint64_t)size - 8)
    return damaged(load, "a header that ends inside the file");
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
             : damaged(load, "a header that agrees with its hash");
}

static uint64_t *stagedRuns(const Load *load) {
  return ampc_rt_runs_data(load->state) + load->state->model->program_count;
}

/* Files without runs are older: nothing is known of skipped steps, so updates stand for runs. */
static uint64_t runsOf(const Load *load, int32_t p) {
  const ampc_program *program = &load->state->model->programs[p];
  if (load->has_runs || program->step_slot < 0)
    return stagedRuns(load)[p];
  const ampc_slot *slot = &load->state->model->slots[program->step_slot];
  return (uint64_t)ampc_rt_read_int(ampc_rt_slot_data(load->state, slot), slot->tensor.dtype, 0);
}

static void parseRuns(Load *load, ampc_rt_json *json, const char *program, const char *value) {
  const ampc_model *model = load->state->model;
  for (int32_t p = 0; p < model->program_count; ++p)
    if (ampc_rt_takes_data(&model->programs[p]) && !strcmp(program, model->programs[p].name)) {
      bool is_number = ampc_rt_parse_hash(value, 0, &stagedRuns(load)[p]);
      if ((!is_number || !ampc_rt_is_count(stagedRuns(load)[p])) && !json->failure)
        json->failure = "a number of runs with 16 digits, below 2^62";
      load->has_runs = true;
    }
}

/* Other optimizers are an error only if the load includes optimizer state. */
static void parseRules(Load *load, const char *program, const char *rules) {
  const ampc_model *model = load->state->model;
  for (int32_t p = 0; p < model->program_count; ++p)
    if (model->programs[p].optimizer && !strcmp(program, model->programs[p].name) &&
        strcmp(rules, model->programs[p].optimizer)) {
      load->differing = &model->programs[p];
      load->rules = rules;
    }
}

/* The rest of the text after a prefix, or null. */
static const char *behind(const char *text, const char *prefix) {
  for (; *prefix; ++prefix)
    if (*text++ != *prefix)
      return NULL;
  return text;
}

static void parseMetadata(Load *load, ampc_rt_json *json) {
  ampc_rt_json_expect(json, '{', "an object of metadata");
  if (ampc_rt_json_accept(json, '}'))
    return;
  do {
    const char *key = ampc_rt_json_string(json);
    ampc_rt_json_expect(json, ':', "':' in metadata");
    const char *value = ampc_rt_json_string(json);
    ampc_rt_note_proof(&load->proof, key, value);
    if (!strcmp(key, "state_hash"))
      load->has_state_hash = ampc_rt_parse_hash(value, 0, &load->state_hash);
    else if (!strcmp(key, "plan_hash"))
      load->has_plan_hash = ampc_rt_parse_hash(value, 0, &load->plan_hash);
    else if (behind(key, AMPC_RUNS_KEY))
      parseRuns(load, json, behind(key, AMPC_RUNS_KEY), value);
    else if (behind(key, AMPC_RULES_KEY))
      parseRules(load, behind(key, AMPC_RULES_KEY), value);
    else if (!strcmp(key, "model"))
      load->model_name = value;
  } while (ampc_rt_json_accept(json, ','));
  ampc_rt_json_expect(json, '}', "the end of the metadata");
}

static void parseShape(ampc_rt_json *json, Entry *entry) {
  entry->rank = 0;
  ampc_rt_json_expect(json, '[', "a shape");
  if (ampc_rt_json_accept(json, ']'))
    return;
  do {
    int64_t dim = ampc_rt_json_number(json);
    if (entry->rank == MAX_RANK) {
      if (!json->failure)
        json->failure = "at most 16 dimensions";
      return;
    }
    entry->dims[entry->rank++] = dim;
  } while (ampc_rt_json_accept(json, ','));
  ampc_rt_json_expect(json, ']', "the end of a shape");
}

static void parseEntry(ampc_rt_json *json, Entry *entry) {
  enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4 };
  int seen = 0;
  ampc_rt_json_expect(json, '{', "an object that describes a tensor");
  do {
    const char *key = ampc_rt_json_string(json);
    ampc_rt_json_expect(json, ':', "':' after a key");
    int bit = !strcmp(key, "dtype")          ? DTYPE
              : !strcmp(key, "shape")        ? SHAPE
              : !strcmp(key, "data_offsets") ? OFFSETS
                                             : 0;
    if ((!bit || seen & bit) && !json->failure)
      json->failure = "dtype, shape and data_offsets, each once";
    if (json->failure)
      return;
    seen |= bit;
    if (bit == DTYPE) {
      entry->dtype = ampc_rt_json_string(json);
    } else if (bit == SHAPE) {
      parseShape(json, entry);
    } else {
      ampc_rt_json_expect(json, '[', "two offsets");
      entry->begin = ampc_rt_json_number(json);
      ampc_rt_json_expect(json, ',', "two offsets");
      entry->end = ampc_rt_json_number(json);
      ampc_rt_json_expect(json, ']', "two offsets");
    }
  } while (ampc_rt_json_accept(json, ','));
  ampc_rt_json_expect(json, '}', "the end of a tensor");
  if (seen != (DTYPE | SHAPE | OFFSETS) && !json->failure)
    json->failure = "dtype, shape and data_offsets, each once";
}

static bool isWanted(const Load *load, const ampc_slot *slot) {
  if (load->values_only)
    return ampc_rt_lacks_value(slot);
  return load->weights_only ? slot->role == AMPC_ROLE_PARAM || slot->role == AMPC_ROLE_BUFFER
                            : ampc_rt_is_saved(slot);
}

/* Parameter of an average: w of fit.ema.w; null for other tensors. */
static const char *averagedParameter(const ampc_slot *slot) {
  if (slot->role != AMPC_ROLE_EMA)
    return NULL;
  const char *text = slot->tensor.name;
  while (*text && !behind(text, ".ema."))
    ++text;
  return behind(text, ".ema.");
}

/* Name of the slot that a tensor of the file fills with AMPC_LOAD_AVERAGES: fit.ema.w fills w, and
   w fills nothing if it has an average. */
static const char *averagedName(const ampc_model *model, const char *name) {
  for (int32_t s = 0; s < model->slot_count; ++s) {
    const char *parameter = averagedParameter(&model->slots[s]);
    if (parameter && !strcmp(model->slots[s].tensor.name, name))
      return parameter;
    if (parameter && !strcmp(parameter, name))
      return "";
  }
  return name;
}

static bool hasAverages(const ampc_model *model) {
  for (int32_t s = 0; s < model->slot_count; ++s)
    if (model->slots[s].role == AMPC_ROLE_EMA)
      return true;
  return false;
}

static const char *nameOfKind(const Load *load, const ampc_tensor *tensor) {
  bool isAverage = load->averages && !*averagedName(load->state->model, tensor->name);
  return isAverage ? "the average of tensor" : "tensor";
}

/* Number of the slot that the entry fills, or -1. */
static int32_t findSlot(const Load *load, const char *name) {
  const ampc_model *model = load->state->model;
  if (load->averages)
    name = averagedName(model, name);
  for (int32_t s = 0; s < model->slot_count; ++s)
    if (isWanted(load, &model->slots[s]) && !strcmp(model->slots[s].tensor.name, name))
      return s;
  return -1;
}

static ampc_status checkEntry(Load *load, const Entry *entry, int32_t s) {
  const ampc_tensor *tensor = &load->state->model->slots[s].tensor;
  char *error = load->state->error;
  for (int32_t i = 0; i < load->count; ++i)
    if (load->ranges[i].slot == s)
      return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH, "load: %s: tensor '%s' occurs twice",
                          load->path, tensor->name);
  if (strcmp(entry->dtype, ampc_rt_dtype_name(tensor->dtype)))
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: tensor '%s': expected type %s, but got %s", load->path,
                        tensor->name, ampc_rt_dtype_name(tensor->dtype), entry->dtype);
  bool same = entry->rank == tensor->rank;
  for (int32_t i = 0; same && i < tensor->rank; ++i)
    same = entry->dims[i] == tensor->dims[i];
  if (!same) {
    ampc_rt_text text = {error, AMPC_ERROR_BYTES, 0};
    ampc_rt_tell(&text, "load: %s: tensor '%s': expected shape ", load->path, tensor->name);
    ampc_rt_put_shape(&text, tensor->dims, tensor->rank);
    ampc_rt_put(&text, ", but got ");
    ampc_rt_put_shape(&text, entry->dims, entry->rank);
    return AMPC_E_CKPT_MISMATCH;
  }
  if (entry->end - entry->begin != tensor->bytes)
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: tensor '%s': expected %d bytes, but got %d", load->path,
                        tensor->name, tensor->bytes, entry->end - entry->begin);
  return AMPC_OK;
}

/* Error for a checkpoint of another model, with the difference that the file reveals. */
static ampc_status differs(const Load *load) {
  const ampc_model *model = load->state->model;
  char *error = load->state->error;
  if (load->differing)
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: %s: expected a state of the optimizer %s, but got one of %s",
                        load->path, load->differing->name, load->differing->optimizer, load->rules);
  if (load->model_name && strcmp(load->model_name, model->name))
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: expected a state of the model %s, but got one of %s", load->path,
                        model->name, load->model_name);
  return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH, "load: %s: expected state hash %x, but got %x",
                      load->path, model->state_hash, load->state_hash);
}

static ampc_status addEntry(Load *load, const Entry *entry) {
  int32_t s = findSlot(load, entry->name);
  if (s < 0 && !load->weights_only && load->differing)
    return differs(load);
  if (s < 0 && !load->weights_only)
    return ampc_rt_fail(load->state->error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: the model has no tensor '%s'", load->path, entry->name);
  ampc_status status = s < 0 ? AMPC_OK : checkEntry(load, entry, s);
  if (status)
    return status;
  if (load->count == load->state->layout.range_count)
    return ampc_rt_fail(load->state->error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: expected at most %d tensors", load->path, (int64_t)load->count);
  ampc_rt_range range = {entry->begin, entry->end, s};
  load->ranges[load->count++] = range;
  return AMPC_OK;
}

static ampc_status parse(Load *load, ampc_rt_json *json) {
  bool has_metadata = false;
  ampc_rt_json_expect(json, '{', "a header that is a JSON object");
  while (!json->failure) {
    Entry entry;
    memset(&entry, 0, sizeof entry);
    entry.name = ampc_rt_json_string(json);
    ampc_rt_json_expect(json, ':', "':' after a name");
    if (!strcmp(entry.name, "__metadata__")) {
      if (has_metadata && !json->failure)
        json->failure = "metadata once";
      has_metadata = true;
      parseMetadata(load, json);
    } else {
      parseEntry(json, &entry);
      ampc_status status = json->failure ? AMPC_OK : addEntry(load, &entry);
      if (status)
        return status;
    }
    if (!ampc_rt_json_accept(json, ','))
      break;
  }
  ampc_rt_json_expect(json, '}', "the end of the header");
  if (!ampc_rt_json_at_end(json) && !json->failure)
    json->failure = "nothing after the header's object";
  return json->failure ? damaged(load, json->failure) : AMPC_OK;
}

static ampc_status checkProof(const Load *load) {
  const ampc_rt_proof *proof = &load->proof;
  char *error = load->state->error;
  if (ampc_rt_is_newer(proof))
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: expected a checkpoint of version " AMPC_FORMAT_VERSION
                        ", but got one of version %s, which a newer ampc has written",
                        load->path, proof->version);
  if (!load->weights_only && ampc_rt_is_foreign(proof))
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: expected a checkpoint of ampc, but got a file of format '%s', "
                        "which can only be loaded as weights",
                        load->path, proof->format);
  return ampc_rt_lacks_proof(proof) ? damaged(load, "the hashes that its version has") : AMPC_OK;
}

/* A save writes tensors in the order of the state's slots, and the state's hash covers that order.
   So the data's hash proves names, too: exchanged names of `fit.m.w` and `fit.v.w`, of one shape,
   would be in another order. Files before version 2 have no other proof of names. */
static bool isInOrder(const Load *load) {
  int32_t last = -1;
  for (int32_t i = 0; i < load->count; ++i) {
    const ampc_rt_range *range = &load->ranges[i];
    if (range->begin == range->end) /* sorted by chance */
      continue;
    if (range->slot < last)
      return false;
    last = range->slot;
  }
  return true;
}

/* The tensors cover the data without gap or overlap, and nothing that the model needs is missing.
 */
static ampc_status checkComplete(Load *load) {
  const ampc_model *model = load->state->model;
  char *error = load->state->error;
  ampc_status status = checkProof(load);
  if (status)
    return status;
  if (!load->weights_only && !load->has_state_hash)
    return ampc_rt_fail(
        error, AMPC_E_CKPT_MISMATCH,
        "load: %s: expected a state hash; a file without one can only be loaded as weights",
        load->path);
  for (int32_t s = 0; s < model->slot_count; ++s) {
    bool found = !isWanted(load, &model->slots[s]);
    for (int32_t i = 0; i < load->count && !found; ++i)
      found = load->ranges[i].slot == s;
    if (!found && load->differing && !load->weights_only)
      return differs(load);
    if (!found)
      return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH, "load: %s: %s '%s' is missing", load->path,
                          nameOfKind(load, &model->slots[s].tensor), model->slots[s].tensor.name);
  }
  if (!load->weights_only && load->state_hash != model->state_hash)
    return differs(load);
  int64_t end = ampc_rt_sort_ranges(load->ranges, load->count);
  if (end < 0)
    return damaged(load, "tensors side by side, without gap or overlap");
  if (!load->weights_only && load->proof.has_data_hash && !isInOrder(load))
    return damaged(load, "tensors in the order of the state");
  return end == load->data_bytes ? AMPC_OK : damaged(load, "the data to end with the file");
}

/* Reads a tensor into `place` and continues the hash with the tensor's bytes. A tensor without a
   destination passes through the header's buffer, which is free after parsing. */
static ampc_status readTensor(const Load *load, const ampc_rt_range *range, unsigned char *place,
                              uint64_t *hash) {
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
static ampc_status readData(const Load *load, unsigned char *stage) {
  uint64_t hash = AMPC_DATA_HASH_SEED;
  for (int32_t i = 0; i < load->count; ++i) {
    unsigned char *place = nextDestination(&load->ranges[i], &stage);
    ampc_status status = readTensor(load, &load->ranges[i], place, &hash);
    if (status)
      return status;
  }
  return load->proof.has_data_hash && hash != load->proof.data_hash
             ? damaged(load, "data that agrees with its hash")
             : AMPC_OK;
}

static ampc_status checkCounters(const Load *load, unsigned char *stage) {
  for (int32_t i = 0; i < load->count; ++i) {
    unsigned char *place = nextDestination(&load->ranges[i], &stage);
    const ampc_slot *slot = place ? &load->state->model->slots[load->ranges[i].slot] : NULL;
    if (slot && !ampc_rt_is_valid_count(slot, place))
      return ampc_rt_fail(load->state->error, AMPC_E_CKPT_MISMATCH,
                          "load: %s: tensor '%s': " AMPC_EXPECTED_COUNT, load->path,
                          slot->tensor.name);
  }
  return AMPC_OK;
}

static void copyToState(const Load *load, unsigned char *stage) {
  for (int32_t i = 0; i < load->count; ++i) {
    unsigned char *place = nextDestination(&load->ranges[i], &stage);
    if (place) {
      const ampc_slot *slot = &load->state->model->slots[load->ranges[i].slot];
      ampc_rt_from_logical(&slot->tensor, ampc_rt_slot_data(load->state, slot), place);
    }
  }
}

typedef struct {
  const Load *load;
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
static ampc_status pullState(const Load *load) {
  const ampc_model *model = load->state->model;
  return model->device ? model->device->pull(load->state, load->state->error) : AMPC_OK;
}

/* The tensors wait in the arena, which is free between calls, or, where that is too small, in
   memory that the system lends until the end of the call. */
static ampc_status loadData(const Load *load) {
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
    status = checkCounters(load, stage);
  if (!status)
    status = pullState(load);
  if (!status)
    copyToState(load, stage);
  if (!fits)
    munmap(stage, bytes);
  return status;
}

static ampc_status loadFile(Load *load) {
  ampc_rt_json json;
  ampc_status status;
  if ((status = readHeader(load, &json)) || (status = parse(load, &json)) ||
      (status = checkComplete(load)) || (status = loadData(load)))
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
static ampc_status loadPath(Load load) {
  ampc_state *state = load.state;
  const char *path = load.path;
  memset(stagedRuns(&load), 0, sizeof(uint64_t) * (size_t)state->model->program_count);
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
  Load load = {.state = state, .path = path, .weights_only = true, .values_only = true};
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
  if (averages && !hasAverages(state->model))
    return ampc_rt_fail(state->error, AMPC_E_ARG,
                        "load: expected a step with ema_decay for averages, but %s has none",
                        state->model->name);
  ampc_status status = ampc_rt_enter_process(state, state->error);
  if (status)
    return status;
  ampc_rt_note_change(state);
  Load load = {
      .state = state, .path = path, .weights_only = flags != AMPC_LOAD_ALL, .averages = averages};
  status = loadPath(load);
  ampc_rt_note_change(state);
  return status;
}
