// Calls from the user: arguments are checked before anything runs, results reported after.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Device.h"
#include "lib/Runtime/Exchange.h"
#include "lib/Runtime/Run.h"
#include <string.h>

/* The program that computes gradients in the step of `program`, or null. */
static const ampc_program *gradOf(const ampc_state *state, const ampc_program *program) {
  const ampc_model *model = state->model;
  for (const ampc_program *p = model->programs; p < model->programs + model->program_count; ++p)
    if (p->kind == AMPC_PROGRAM_GRAD && p->step_slot == program->step_slot)
      return p;
  return NULL;
}

/* True after a run of the GRAD program, until the next update. */
static bool *readyOf(const ampc_state *state, const ampc_program *grad) {
  return &ampc_rt_ready_data(state)[grad - state->model->programs];
}

/* An update by gradients of another step, or of none, is a mistake that nothing else would show. */
static ampc_status checkGradients(const ampc_state *state, const ampc_program *program,
                                  char *error) {
  const ampc_program *grad = gradOf(state, program);
  if (program->kind != AMPC_PROGRAM_APPLY || !grad || *readyOf(state, grad))
    return AMPC_OK;
  return ampc_rt_fail(error, AMPC_E_ARG,
                      "%s: expected gradients of a call of %s since the last update, but got none",
                      program->name, grad->name);
}

static double outputValue(const ampc_rt_call *call, int32_t number, double otherwise) {
  return number < 0
             ? otherwise
             : ampc_rt_read_float(call->outputs[number], call->program->outputs[number].dtype);
}

static double slotValue(const ampc_rt_call *call, int32_t number, double otherwise) {
  if (number < 0)
    return otherwise;
  const ampc_slot *slot = &call->state->model->slots[number];
  return ampc_rt_read_float(ampc_rt_slot_data(call->state, slot), slot->tensor.dtype);
}

/* The slot of role RANDOM, or null. */
static const ampc_slot *randomSlot(const ampc_state *state) {
  for (int32_t s = 0; s < state->model->slot_count; ++s)
    if (state->model->slots[s].role == AMPC_ROLE_RANDOM)
      return &state->model->slots[s];
  return NULL;
}

/* Advances the random counter: dropout masks of the next run differ, even after a skipped step. */
static void advanceRandom(const ampc_state *state) {
  const ampc_slot *slot = randomSlot(state);
  if (slot)
    ++((uint64_t *)ampc_rt_slot_data(state, slot))[1];
}

/* Seed behind the inputs of a call; 0 if `size` ends before the seed. Training steps ignore the
   seed and draw from the state's counter. */
static uint64_t seedOf(const ampc_program *program, const ampc_run_in *in) {
  size_t before = sizeof(ampc_run_in) + sizeof(void *) * (size_t)program->input_count;
  uint64_t seed = 0;
  if (!ampc_rt_is_training(program) && in->size >= before + sizeof seed)
    memcpy(&seed, (const unsigned char *)in + before, sizeof seed);
  return seed;
}

/* Random numbers of evaluation and export: with a seed, the numbers of a new state with this seed;
   without a seed, the numbers of the state's next step. Equal in every call. For a state on a
   device, the device copies the state's counter. */
static void seedCall(ampc_rt_call *call, uint64_t seed) {
  if (ampc_rt_is_training(call->program))
    return;
  call->random = randomSlot(call->state);
  call->control.random[0] = seed;
  if (call->random && !seed && !call->state->model->device)
    memcpy(call->control.random, ampc_rt_slot_data(call->state, call->random),
           sizeof call->control.random);
}

static bool isOnDevice(const ampc_state *state) { return state->model->device != NULL; }

static ampc_status runOnDevice(const ampc_rt_call *call, bool *refused, char *error) {
  return call->state->model->device->run(call, refused, error);
}

/* Runs the forward pass, then the remaining entries if the loss is finite. A step with a loss scale
   skips inside the program, unless non-finite numbers are allowed. The loss is that of all ranks,
   so all end at the same entry. Returns 0 or AMPC_E_PEER. */
static int runGuarded(const ampc_rt_call *call, bool *finite) {
  const ampc_program *program = call->program;
  int32_t ready = ampc_rt_guarded_entries(program);
  int failed = ampc_rt_walk(call, 0, ready);
  if (failed)
    return failed;
  *finite = !ready || __builtin_isfinite(outputValue(call, program->loss_output, 0));
  return *finite ? ampc_rt_walk(call, ready, program->entry_count) : ampc_rt_drain(call, ready);
}

/* Elements of gradients that are not finite. */
static uint64_t nonfinite(const ampc_rt_call *call) {
  return (uint64_t)outputValue(call, call->program->nonfinite_output, 0);
}

/* True if a completed step left the state unchanged. False for GRAD programs: the APPLY program
   decides to skip. */
static bool isRefused(const ampc_rt_call *call) {
  const ampc_program *program = call->program;
  return program->kind != AMPC_PROGRAM_GRAD && program->nonfinite != AMPC_NONFINITE_ALLOW &&
         nonfinite(call) != 0;
}

/* Consecutive skips, this call included. GRAD programs do not count: a GRAD program is no step, and
   a loss that is not finite stops the call before the decision to skip. */
static uint64_t countSkips(const ampc_rt_call *call, bool ran) {
  uint64_t *skips = &ampc_rt_skips_data(call->state)[call->program - call->state->model->programs];
  if (ran && call->program->kind != AMPC_PROGRAM_GRAD)
    *skips = isRefused(call) ? *skips + 1 : 0;
  return *skips;
}

/* Logs a standstill once: steps that all skip have finite losses and no error. */
static void logSkips(const ampc_rt_call *call, uint64_t skips) {
  if (skips != AMPC_SKIPS_TO_LOG || !call->hooks || !call->hooks->on_log)
    return;
  char line[AMPC_ERROR_BYTES];
  ampc_rt_text text = {line, sizeof line, 0};
  ampc_rt_tell(&text,
               "%s: the last %u steps were skipped, since gradients are infinite or NaN: nothing "
               "is learned; 'ampc train --track-nonfinite' names the cause",
               call->program->name, skips);
  call->hooks->on_log(call->hooks->context, line);
}

/* Results of the loss function beside the loss; null without such results. NaN for all if the loss
   is not finite, since some results were then not computed. */
static const double *reportNumbers(const ampc_rt_call *call, bool known) {
  const ampc_program *program = call->program;
  if (program->number_count == 0)
    return NULL;
  size_t pointers = sizeof(void *) * (size_t)ampc_rt_max_outputs(call->state->model);
  double *numbers = (double *)ampc_rt_at(call->state, call->state->layout.outputs + pointers);
  for (int32_t i = 0; i < program->number_count; ++i)
    numbers[i] = known ? outputValue(call, program->loss_output + 1 + i, 0) : __builtin_nan("");
  return numbers;
}

/* Number of updates, read as an integer: a double is exact up to 2^53 only. */
static uint64_t stepsOf(const ampc_rt_call *call) {
  if (call->program->step_slot < 0)
    return 0;
  const ampc_slot *slot = &call->state->model->slots[call->program->step_slot];
  return (uint64_t)ampc_rt_read_int(ampc_rt_slot_data(call->state, slot), slot->tensor.dtype, 0);
}

/* `ran`: the backward pass, too. */
static __attribute__((noinline)) void measure(const ampc_rt_call *call, double scale, bool ran,
                                              ampc_train_out *report) {
  const ampc_program *program = call->program;
  ampc_train_out result;
  memset(&result, 0, sizeof result);
  result.loss_double = outputValue(call, program->loss_output, 0);
  result.loss = (float)result.loss_double;
  if (ran) { /* else the outputs hold numbers of an earlier run */
    result.grad_norm = (float)outputValue(call, program->norm_output, 0);
    result.learning_rate = (float)outputValue(call, program->rate_output, 0);
  }
  result.loss_scale = (float)scale;
  result.nonfinite = ran ? nonfinite(call) : 0;
  result.numbers = reportNumbers(call, ran && __builtin_isfinite(result.loss_double));
  result.found_inf = result.nonfinite != 0;
  result.skipped = ran && isRefused(call);
  result.skipped_in_row = countSkips(call, ran);
  result.step = stepsOf(call);
  *report = result;
}

/* Fills the report and returns the consecutive skips. Hooks run in the host's floating-point
   environment. */
static uint64_t report(const ampc_rt_call *call, double scale, bool ran, void *out) {
  ampc_train_out result;
  uint32_t host = ampc_rt_swap_mxcsr(AMPC_MXCSR_KEEP);
  measure(call, scale, ran, &result);
  ampc_rt_swap_mxcsr(host);
  if (call->hooks && call->hooks->on_step) {
    result.size = sizeof result;
    call->hooks->on_step(call->hooks->context, &result);
  }
  logSkips(call, result.skipped ? result.skipped_in_row : 0);
  uint32_t size = out ? *(const uint32_t *)out : 0;
  result.size = size;
  if (out)
    memcpy(out, &result, size < sizeof result ? size : sizeof result);
  return result.skipped_in_row;
}

/* All of a training call that changes the state. `finite`: the loss is. */
static ampc_status change(const ampc_rt_call *call, bool *finite, char *error) {
  const ampc_program *grad = gradOf(call->state, call->program);
  bool isSplit = grad && call->program->kind != AMPC_PROGRAM_TRAIN;
  if (isOnDevice(call->state)) {
    bool refused = false;
    ampc_status status = runOnDevice(call, &refused, error);
    if (status)
      return status;
    *finite = !refused;
  } else if (runGuarded(call, finite)) {
    return ampc_rt_exchange_error(call->state, call->program->name, error);
  }
  if (isSplit) /* with a non-finite loss some gradients are stale */
    *readyOf(call->state, grad) = *finite && call->program == grad;
  if (ampc_rt_takes_data(call->program)) {
    advanceRandom(call->state);
    ++ampc_rt_runs_data(call->state)[call->program - call->state->model->programs];
  }
  return AMPC_OK;
}

static ampc_status train(ampc_state *state, const ampc_rt_call *call, void *out, char *error) {
  double scale = slotValue(call, call->program->scale_slot, 1);
  bool finite = true;
  ampc_rt_note_change(state);
  ampc_status status = change(call, &finite, error);
  ampc_rt_note_change(state);
  if (status)
    return status;
  uint64_t skips = report(call, scale, finite, out);
  if (!finite)
    return ampc_rt_fail(error, AMPC_E_NONFINITE_LOSS,
                        "%s: the loss is not finite; nothing was updated", call->program->name);
  if (!isRefused(call))
    return AMPC_OK;
  if (call->state->skip_limit && skips >= call->state->skip_limit)
    return ampc_rt_fail(error, AMPC_E_STALLED,
                        "%s: the last %u steps were skipped, since gradients are infinite or NaN; "
                        "'ampc train --track-nonfinite' names the cause",
                        call->program->name, skips);
  if (call->program->nonfinite == AMPC_NONFINITE_SKIP)
    return AMPC_W_STEP_SKIPPED;
  return ampc_rt_fail(error, AMPC_E_NONFINITE_GRADIENT,
                      "%s: expected finite gradients, but %u elements are infinite or NaN; nothing "
                      "was updated; 'ampc check --track-nonfinite' names the cause",
                      call->program->name, nonfinite(call));
}

/* With a workspace a call keeps to the calling thread and writes nothing in the state.
   Workspace: message, operands, scratch, arena, room for a short batch. */
static ampc_rt_call prepare(ampc_state *state, const ampc_program *program, void *workspace) {
  ampc_rt_call call;
  memset(&call, 0, sizeof call);
  call.state = state;
  call.program = program;
  call.slots = ampc_rt_at(state, state->layout.slots);
  call.constants = state->model->constants;
  call.scratch_stride = state->layout.scratch_stride;
  if (workspace) {
    unsigned char *place = (unsigned char *)workspace + AMPC_ERROR_BYTES;
    call.operands = (void **)place;
    place += ampc_rt_align(sizeof(void *) * (size_t)ampc_rt_operand_room(state->model));
    call.scratch = place;
    call.arena = place + call.scratch_stride;
    call.room = call.arena + ampc_rt_align((size_t)state->model->arena_bytes);
    call.shares = 1;
    return call;
  }
  call.operands = (void **)ampc_rt_at(state, state->layout.operands);
  call.scratch = ampc_rt_at(state, state->layout.scratch);
  call.arena = ampc_rt_at(state, state->layout.arena);
  call.room = ampc_rt_at(state, state->layout.room);
  call.shares = state->layout.thread_count;
  if (state->dynamic)
    call.open = (ampc_rt_share *)ampc_rt_at(state, state->layout.shares);
  call.hooks = &state->hooks;
  return call;
}

static size_t workspaceBytes(const ampc_model *model) {
  return AMPC_ERROR_BYTES + ampc_rt_align(sizeof(void *) * (size_t)ampc_rt_operand_room(model)) +
         ampc_rt_max_scratch(model) + ampc_rt_align((size_t)model->arena_bytes) +
         ampc_rt_short_batch_bytes(model, false);
}

size_t ampc_rt_workspace_bytes(const ampc_model *model) {
  size_t most = 0;
  for (; model; model = model->next)
    if (workspaceBytes(model) > most)
      most = workspaceBytes(model);
  return most;
}

/* Output table of a training program, kept in the state: [pointers | named numbers of the report |
   64 bytes per scalar]. `observed`: addresses of the observed tensors, null at the scalars; or
   null. */
static void **scalarOutputs(ampc_state *state, const ampc_program *program, void *const *observed) {
  int32_t count = ampc_rt_max_outputs(state->model);
  void **pointers = (void **)ampc_rt_at(state, state->layout.outputs);
  size_t before = (sizeof(void *) + sizeof(double)) * (size_t)count;
  unsigned char *data = (unsigned char *)state + ampc_rt_align(state->layout.outputs + before);
  for (int32_t i = 0; i < count; ++i)
    pointers[i] = data + AMPC_ALIGN * i;
  for (int32_t i = 0; observed && i < program->output_count; ++i)
    if (observed[i])
      pointers[i] = observed[i];
  return pointers;
}

/* True if the call has a workspace that the program may use for an error message. */
static bool hasRoomForMessage(const ampc_program *program, const ampc_run_in *in) {
  return in && in->size >= sizeof *in && in->workspace && !ampc_rt_is_training(program) &&
         (uintptr_t)in->workspace % AMPC_ALIGN == 0;
}

/* Valid rows of a call. */
static int64_t validRows(const ampc_program *program, const ampc_run_in *in) {
  if (in->flags & AMPC_RUN_NO_ROWS)
    return 0;
  return in->valid ? (int64_t)in->valid : program->batch;
}

/* Checks the arguments of a call. A row that pads a batch without rows is checked as well. */
static ampc_status checkCall(ampc_state *state, const ampc_program *program, const ampc_run_in *in,
                             const void *output, char *error) {
  ampc_status status = ampc_rt_check_in(state, program, in, error);
  if (status || (status = checkGradients(state, program, error)) ||
      ((!in->workspace || isOnDevice(state)) && (status = ampc_rt_enter_process(state, error))))
    return status;
  int64_t valid = validRows(program, in);
  status = ampc_rt_check_inputs(state, program, in, valid ? valid : 1, error);
  return status ? status : ampc_rt_check_out(program, output, error);
}

/* Runs a program. `observed`: null, or addresses of a training program's observed outputs, null at
   the scalars. */
static ampc_status run(ampc_state *state, int32_t number, const void *input, void *output,
                       void *const *observed) {
  if (!state)
    return AMPC_E_ARG;
  const ampc_program *program = &state->model->programs[number];
  const ampc_run_in *in = input;
  /* Calls with workspaces run concurrently, so each call has the message in the workspace. */
  char *error = hasRoomForMessage(program, in) ? in->workspace : state->error;
  *error = 0;
  ampc_status status = checkCall(state, program, in, output, error);
  status = ampc_rt_agree(state, program, in, status, error);
  if (status)
    return status;
  int64_t valid = validRows(program, in);
  if (ampc_rt_is_training(program))
    ampc_rt_prefault(state);
  ampc_rt_call call = prepare(state, program, in->workspace);
  call.inputs = in->inputs;
  call.control.valid = (int32_t)valid;
  call.control.lr_factor = in->lr_factor == 0 ? 1 : in->lr_factor;
  call.control_place = &call.control;
  seedCall(&call, seedOf(program, in));
  void *const *outputs = ampc_rt_is_training(program) ? scalarOutputs(state, program, observed)
                                                      : ((ampc_run_out *)output)->outputs;
  call.outputs = outputs;
  int64_t given = valid ? valid : 1; /* a row that pads a batch without rows */
  bool onDevice = isOnDevice(state), isShort = given < program->batch && !onDevice, refused;
  if (isShort)
    ampc_rt_pad_batch(&call);
  if (ampc_rt_is_training(program))
    return train(state, &call, output, error);
  if (onDevice)
    return runOnDevice(&call, &refused, error);
  ampc_rt_walk(&call, 0, program->entry_count);
  if (isShort)
    ampc_rt_unpad_batch(&call, outputs);
  return AMPC_OK;
}

ampc_status ampc_rt_run(ampc_state *state, int32_t number, const void *input, void *output) {
  return run(state, number, input, output, NULL);
}

ampc_status ampc_rt_run_observed(ampc_state *state, int32_t number, const void *input, void *output,
                                 void *const *observed) {
  return run(state, number, input, output, observed);
}

uint64_t ampc_rt_runs(const ampc_state *state, int32_t number) {
  return ampc_rt_runs_data(state)[number];
}

void ampc_rt_set_runs(ampc_state *state, int32_t number, uint64_t runs) {
  ampc_rt_note_change(state);
  ampc_rt_runs_data(state)[number] = runs;
  ampc_rt_note_change(state);
}

ampc_status ampc_rt_derive(ampc_state *state) {
  for (int32_t p = 0; p < state->model->program_count; ++p)
    if (state->model->programs[p].kind == AMPC_PROGRAM_DERIVE) {
      ampc_rt_call call = prepare(state, &state->model->programs[p], NULL);
      call.control.lr_factor = 1;
      call.control_place = &call.control;
      bool refused;
      if (isOnDevice(state)) {
        ampc_status status = runOnDevice(&call, &refused, state->error);
        if (status)
          return status;
      } else {
        ampc_rt_walk(&call, 0, call.program->entry_count);
      }
    }
  return AMPC_OK;
}

ampc_status ampc_rt_refresh(ampc_state *state) {
  ampc_status status = state ? ampc_rt_enter_process(state, state->error) : AMPC_E_ARG;
  return status ? status : ampc_rt_derive(state);
}
