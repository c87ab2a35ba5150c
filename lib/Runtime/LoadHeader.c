// Header of a checkpoint: a JSON object of tensors and metadata in the layout of safetensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Load.h"
#include <string.h>

uint64_t *ampc_rt_staged_runs(const ampc_rt_loading *load) {
  return ampc_rt_runs_data(load->state) + load->state->model->program_count;
}

static void parseRuns(ampc_rt_loading *load, ampc_rt_json *json, const char *program,
                      const char *value) {
  const ampc_model *model = load->state->model;
  for (int32_t p = 0; p < model->program_count; ++p)
    if (ampc_rt_takes_data(&model->programs[p]) && !strcmp(program, model->programs[p].name)) {
      bool is_number = ampc_rt_parse_hash(value, 0, &ampc_rt_staged_runs(load)[p]);
      if ((!is_number || !ampc_rt_is_count(ampc_rt_staged_runs(load)[p])) && !json->failure)
        json->failure = "a number of runs with 16 digits, below 2^62";
      load->has_runs = true;
    }
}

/* Other optimizers are an error only if the load includes optimizer state. */
static void parseRules(ampc_rt_loading *load, const char *program, const char *rules) {
  const ampc_model *model = load->state->model;
  for (int32_t p = 0; p < model->program_count; ++p)
    if (model->programs[p].optimizer && !strcmp(program, model->programs[p].name) &&
        strcmp(rules, model->programs[p].optimizer)) {
      load->differing = &model->programs[p];
      load->rules = rules;
    }
}

const char *ampc_rt_behind(const char *text, const char *prefix) {
  for (; *prefix; ++prefix)
    if (*text++ != *prefix)
      return NULL;
  return text;
}

static void parseMetadata(ampc_rt_loading *load, ampc_rt_json *json) {
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
    else if (ampc_rt_behind(key, AMPC_RUNS_KEY))
      parseRuns(load, json, ampc_rt_behind(key, AMPC_RUNS_KEY), value);
    else if (ampc_rt_behind(key, AMPC_RULES_KEY))
      parseRules(load, ampc_rt_behind(key, AMPC_RULES_KEY), value);
    else if (!strcmp(key, "model"))
      load->model_name = value;
  } while (ampc_rt_json_accept(json, ','));
  ampc_rt_json_expect(json, '}', "the end of the metadata");
}

static void parseShape(ampc_rt_json *json, ampc_rt_entry *entry) {
  entry->rank = 0;
  ampc_rt_json_expect(json, '[', "a shape");
  if (ampc_rt_json_accept(json, ']'))
    return;
  do {
    int64_t dim = ampc_rt_json_number(json);
    if (entry->rank == AMPC_MAX_LOADED_RANK) {
      if (!json->failure)
        json->failure = "at most 16 dimensions";
      return;
    }
    entry->dims[entry->rank++] = dim;
  } while (ampc_rt_json_accept(json, ','));
  ampc_rt_json_expect(json, ']', "the end of a shape");
}

static void parseEntry(ampc_rt_json *json, ampc_rt_entry *entry) {
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

ampc_status ampc_rt_parse_header(ampc_rt_loading *load, ampc_rt_json *json) {
  bool has_metadata = false;
  ampc_rt_json_expect(json, '{', "a header that is a JSON object");
  while (!json->failure) {
    ampc_rt_entry entry;
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
      ampc_status status = json->failure ? AMPC_OK : ampc_rt_load_entry(load, &entry);
      if (status)
        return status;
    }
    if (!ampc_rt_json_accept(json, ','))
      break;
  }
  ampc_rt_json_expect(json, '}', "the end of the header");
  if (!ampc_rt_json_at_end(json) && !json->failure)
    json->failure = "nothing after the header's object";
  return json->failure ? ampc_rt_load_damaged(load, json->failure) : AMPC_OK;
}
