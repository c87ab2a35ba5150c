// Tensors of a checkpoint and the slots of the model that they fill: names, types, shapes, averages
// in place of parameters, completeness.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Load.h"
#include <string.h>

static bool isWanted(const ampc_rt_loading *load, const ampc_slot *slot) {
  if (load->values_only)
    return ampc_rt_lacks_value(slot);
  if (!load->weights_only)
    return ampc_rt_is_saved(slot);
  /* States of the rows of a batch belong to the data of a step, and no evaluation reads them. */
  bool is_buffer = slot->role == AMPC_ROLE_BUFFER && !slot->tensor.batched;
  return slot->role == AMPC_ROLE_PARAM || is_buffer;
}

/* Parameter of an average: w of fit.ema.w; null for other tensors. */
static const char *averagedParameter(const ampc_slot *slot) {
  if (slot->role != AMPC_ROLE_EMA)
    return NULL;
  const char *text = slot->tensor.name;
  while (*text && !ampc_rt_behind(text, ".ema."))
    ++text;
  return ampc_rt_behind(text, ".ema.");
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

bool ampc_rt_has_averages(const ampc_model *model) {
  for (int32_t s = 0; s < model->slot_count; ++s)
    if (model->slots[s].role == AMPC_ROLE_EMA)
      return true;
  return false;
}

static const char *nameOfKind(const ampc_rt_loading *load, const ampc_tensor *tensor) {
  bool isAverage = load->averages && !*averagedName(load->state->model, tensor->name);
  return isAverage ? "the average of tensor" : "tensor";
}

/* Number of the slot that the entry fills, or -1. */
static int32_t findSlot(const ampc_rt_loading *load, const char *name) {
  const ampc_model *model = load->state->model;
  if (load->averages)
    name = averagedName(model, name);
  for (int32_t s = 0; s < model->slot_count; ++s)
    if (isWanted(load, &model->slots[s]) && !strcmp(model->slots[s].tensor.name, name))
      return s;
  return -1;
}

static ampc_status checkEntry(ampc_rt_loading *load, const ampc_rt_entry *entry, int32_t s) {
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
    if (tensor->batched)
      ampc_rt_put(
          &text,
          "; the tensor has a row per row of the batch: for another batch load the weights alone");
    return AMPC_E_CKPT_MISMATCH;
  }
  if (entry->end - entry->begin != tensor->bytes)
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: tensor '%s': expected %d bytes, but got %d", load->path,
                        tensor->name, tensor->bytes, entry->end - entry->begin);
  return AMPC_OK;
}

/* Error for a checkpoint of another model, with the difference that the file reveals. */
static ampc_status differs(const ampc_rt_loading *load) {
  const ampc_model *model = load->state->model;
  char *error = load->state->error;
  if (load->differing)
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: %s: expected a state of the optimizer %s, but got a state of %s",
                        load->path, load->differing->name, load->differing->optimizer, load->rules);
  if (load->model_name && strcmp(load->model_name, model->name))
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: expected a state of the model %s, but got a state of %s",
                        load->path, model->name, load->model_name);
  return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH, "load: %s: expected state hash %x, but got %x",
                      load->path, model->state_hash, load->state_hash);
}

ampc_status ampc_rt_load_entry(ampc_rt_loading *load, const ampc_rt_entry *entry) {
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

static ampc_status checkProof(const ampc_rt_loading *load) {
  const ampc_rt_proof *proof = &load->proof;
  char *error = load->state->error;
  if (ampc_rt_is_newer(proof))
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: expected a checkpoint of version " AMPC_FORMAT_VERSION
                        ", but got version %s, written by a newer ampc",
                        load->path, proof->version);
  if (!load->weights_only && ampc_rt_is_foreign(proof))
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: expected a checkpoint of ampc, but got a file of format '%s', "
                        "which can only be loaded as weights",
                        load->path, proof->format);
  return ampc_rt_lacks_proof(proof)
             ? ampc_rt_load_damaged(load, "the hashes of a checkpoint of this version")
             : AMPC_OK;
}

/* A save writes tensors in the order of the state's slots, and the state's hash covers that order.
   So the data's hash proves names, too: exchanged names of `fit.m.w` and `fit.v.w`, of one shape,
   would be in another order. Files before version 2 have no other proof of names. */
static bool isInOrder(const ampc_rt_loading *load) {
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

bool ampc_rt_is_loaded(const ampc_rt_loading *load, int32_t slot) {
  for (int32_t i = 0; i < load->count; ++i)
    if (load->ranges[i].slot == slot)
      return true;
  return false;
}

/* The tensors cover the data without gap or overlap, and nothing that the model needs is missing.
   Weights from elsewhere may lack copies and knobs. */
ampc_status ampc_rt_check_complete(ampc_rt_loading *load) {
  const ampc_model *model = load->state->model;
  char *error = load->state->error;
  ampc_status status = checkProof(load);
  if (status)
    return status;
  if (!load->weights_only && !load->has_state_hash)
    return ampc_rt_fail(error, AMPC_E_CKPT_MISMATCH,
                        "load: %s: expected a state hash; a file without a state hash can only be "
                        "loaded as weights",
                        load->path);
  for (int32_t s = 0; s < model->slot_count; ++s) {
    bool mayLack = load->weights_only && (model->slots[s].source || model->slots[s].range);
    bool found = mayLack || !isWanted(load, &model->slots[s]) || ampc_rt_is_loaded(load, s);
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
    return ampc_rt_load_damaged(load, "tensors side by side, without gap or overlap");
  if (!load->weights_only && load->proof.has_data_hash && !isInOrder(load))
    return ampc_rt_load_damaged(load, "tensors in the order of the state");
  return end == load->data_bytes ? AMPC_OK
                                 : ampc_rt_load_damaged(load, "the data to end with the file");
}
