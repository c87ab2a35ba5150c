// A load of a checkpoint: the file, the parsed header, and the slots of the model that tensors of
// the file fill.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_RUNTIME_LOAD_H
#define LIB_RUNTIME_LOAD_H

#include "lib/Runtime/Checkpoint.h"

enum { AMPC_MAX_LOADED_RANK = 16 };

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
} ampc_rt_loading;

/* Description of a tensor in the header. */
typedef struct {
  const char *name, *dtype;
  int64_t dims[AMPC_MAX_LOADED_RANK];
  int32_t rank;
  int64_t begin, end;
} ampc_rt_entry;

/* Error for a file that is no checkpoint: `what` is the content that was expected. */
ampc_status ampc_rt_load_damaged(const ampc_rt_loading *load, const char *what);

/* Parses the header, which lies in [json->cursor, json->end), and adds the tensors that the load
   wants (LoadHeader.c). */
ampc_status ampc_rt_parse_header(ampc_rt_loading *load, ampc_rt_json *json);
/* Runs of each program in the header, until the load has succeeded: [program_count]. */
uint64_t *ampc_rt_staged_runs(const ampc_rt_loading *load);

/* The rest of the text after a prefix, or null (LoadHeader.c). */
const char *ampc_rt_behind(const char *text, const char *prefix);

/* Adds a tensor of the file: the range of its bytes, and the slot that takes the bytes, or -1
   (LoadSlots.c). */
ampc_status ampc_rt_load_entry(ampc_rt_loading *load, const ampc_rt_entry *entry);
/* Checks that tensors cover the data without gap or overlap and that no slot that the load wants is
   missing. */
ampc_status ampc_rt_check_complete(ampc_rt_loading *load);
bool ampc_rt_has_averages(const ampc_model *model);
/* Whether a tensor of the file fills the slot. */
bool ampc_rt_is_loaded(const ampc_rt_loading *load, int32_t slot);
#endif
