// Walks the table of a program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Run.h"
#include "lib/Runtime/Exchange.h"
#include "lib/Runtime/Internal.h"
#include <string.h>

static void runTasks(const ampc_rt_call *call, ampc_kernel_fn function, int64_t begin, int64_t end,
                     int32_t share) {
  uint32_t host = ampc_rt_swap_mxcsr(call->state->flushes ? AMPC_MXCSR_FLUSH : AMPC_MXCSR_KEEP);
  function(call->operands, begin, end, call->scratch + call->scratch_stride * (size_t)share);
  ampc_rt_swap_mxcsr(host);
}

typedef struct {
  const ampc_rt_call *call;
  ampc_kernel_fn function;
  int64_t tasks;
  int32_t shares;
} Launch;

static int64_t firstTask(const Launch *launch, int32_t share) {
  return launch->tasks * share / launch->shares;
}

static void runShare(void *argument, int32_t share) {
  const Launch *launch = argument;
  if (share >= launch->shares)
    return;
  runTasks(launch->call, launch->function, firstTask(launch, share), firstTask(launch, share + 1),
           share);
}

/* Guided self-scheduling: claims half of the remaining tasks, e.g. 64 tasks as 32, 16, 8, ...
   Few calls, because each call packs its operands again; the rest stays for work stealing. */
static bool claimTasks(ampc_rt_share *from, int64_t *begin, int64_t *end) {
  *begin = atomic_load_explicit(&from->next, memory_order_relaxed);
  do {
    if (*begin >= from->end)
      return false;
    *end = *begin + (from->end - *begin + 1) / 2;
  } while (!atomic_compare_exchange_weak_explicit(&from->next, begin, *end, memory_order_relaxed,
                                                  memory_order_relaxed));
  return true;
}

/* Work stealing: a thread claims tasks of its own share, then of the following shares. Claims are
   relaxed: the start and the end of a job order all memory accesses of the threads, and a claim
   only has to be unique. */
static void runOpenShares(void *argument, int32_t share) {
  const Launch *launch = argument;
  for (int32_t i = 0; i < launch->shares; ++i) {
    ampc_rt_share *from = &launch->call->open[(share + i) % launch->shares];
    int64_t begin, end;
    while (claimTasks(from, &begin, &end))
      runTasks(launch->call, launch->function, begin, end, share);
  }
}

void ampc_rt_parallel(const ampc_state *state, ampc_rt_body body, void *argument) {
  if (state->parallel_for)
    state->parallel_for(state->parallel_context, state->layout.thread_count, body, argument);
  else /* the pool is scratch, like the arena: tensors of a const state do not change */
    ampc_rt_pool_run(&((ampc_state *)(uintptr_t)state)->pool, body, argument);
}

static void *resolve(const ampc_rt_call *call, const ampc_operand *operand) {
  unsigned char *base = NULL;
  switch (operand->space) {
  case AMPC_SPACE_STATE:
    if (call->random && operand->number == AMPC_STATE_RANDOM)
      return (unsigned char *)call->control_place + offsetof(ampc_control, random) +
             (operand->offset - call->random->offset);
    base = call->slots;
    break;
  case AMPC_SPACE_ARENA:
    base = call->arena;
    break;
  case AMPC_SPACE_INPUT:
    base = (unsigned char *)(uintptr_t)call->inputs[operand->number];
    break;
  case AMPC_SPACE_OUTPUT:
    base = call->outputs[operand->number];
    break;
  case AMPC_SPACE_CONSTANT:
    base = (unsigned char *)(uintptr_t)call->constants[operand->number];
    break;
  case AMPC_SPACE_CONTROL:
    base = call->control_place;
    break;
  }
  return base + operand->offset;
}

static void shareOut(const ampc_rt_call *call, ampc_kernel_fn function, int64_t tasks) {
  Launch launch = {call, function, tasks, tasks < call->shares ? (int32_t)tasks : call->shares};
  if (launch.shares <= 1) {
    if (tasks > 0)
      runTasks(call, function, 0, tasks, 0);
    return;
  }
  for (int32_t i = 0; call->open && i < launch.shares; ++i) {
    atomic_store_explicit(&call->open[i].next, firstTask(&launch, i), memory_order_relaxed);
    call->open[i].end = firstTask(&launch, i + 1);
  }
  ampc_rt_parallel(call->state, call->open ? runOpenShares : runShare, &launch);
}

static void runTasksOf(const ampc_rt_call *call, const ampc_entry *entry) {
  const ampc_code *code = ampc_rt_code(call->state, entry->number);
  bool timed = call->hooks && call->hooks->on_span;
  uint64_t begin = timed ? ampc_rt_now_ns() : 0;
  shareOut(call, code->run, code->tasks);
  if (code->finish)
    shareOut(call, code->finish, code->finish_tasks);
  if (timed)
    call->hooks->on_span(call->hooks->context, entry->name, begin, ampc_rt_now_ns());
}

static int runKernel(const ampc_rt_call *call, const ampc_entry *entry) {
  const ampc_operand *operands = call->program->operands + entry->first_operand;
  for (int32_t i = 0; i < entry->operand_count; ++i)
    call->operands[i] = resolve(call, &operands[i]);
  if (call->launch)
    return call->launch(call, entry);
  runTasksOf(call, entry);
  return 0;
}

static unsigned char *resolveAt(const ampc_rt_call *call, const ampc_operand *operand,
                                int32_t run) {
  return (unsigned char *)resolve(call, operand) + operand->stride * run;
}

/* Runs an outlined loop body `times` times. Address tables of the inner program reuse the operand
   table of this call, idle during the inner runs: [inputs | outputs | operands]. Carried tensors
   alternate between the output's buffer and a second buffer (double buffering). */
static int runProgram(const ampc_rt_call *call, const ampc_entry *entry) {
  const ampc_operand *operands = call->program->operands + entry->first_operand;
  ampc_rt_call inner = *call;
  inner.program = &call->state->model->programs[entry->number];
  int32_t input_count = inner.program->input_count, output_count = inner.program->output_count;
  const ampc_operand *outputs = operands + input_count, *others = outputs + output_count;
  inner.arena = resolve(call, &others[entry->carried]);
  void **given = call->operands, **taken = given + input_count;
  inner.inputs = (const void *const *)given;
  inner.outputs = taken;
  inner.operands = taken + output_count;
  for (int32_t run = 0; run < entry->times; ++run) {
    bool turn = (entry->times - 1 - run) % 2 == 0; /* the last run writes the output */
    for (int32_t i = 0; i < input_count; ++i)
      given[i] = run > 0 && i < entry->carried ? taken[i] : resolveAt(call, &operands[i], run);
    for (int32_t i = 0; i < output_count; ++i)
      taken[i] = i >= entry->carried ? resolveAt(call, &outputs[i], run)
                                     : resolve(call, turn ? &outputs[i] : &others[i]);
    int result = ampc_rt_walk(&inner, 0, inner.program->entry_count);
    if (result)
      return result;
  }
  return 0;
}

static int runExchange(const ampc_rt_call *call, const ampc_entry *entry) {
  bool timed = call->hooks && call->hooks->on_span;
  uint64_t begin = timed ? ampc_rt_now_ns() : 0;
  int result = ampc_rt_run_exchange(call, entry);
  if (timed && !result)
    call->hooks->on_span(call->hooks->context, entry->name, begin, ampc_rt_now_ns());
  return result;
}

static int runEntry(const ampc_rt_call *call, const ampc_entry *entry) {
  switch (entry->kind) {
  case AMPC_ENTRY_KERNEL:
    return runKernel(call, entry);
  case AMPC_ENTRY_CALL:
    return runProgram(call, entry);
  default:
    return runExchange(call, entry);
  }
}

int ampc_rt_walk(const ampc_rt_call *call, int32_t begin, int32_t end) {
  int result = 0;
  for (int32_t e = begin; e < end && !result; ++e)
    result = runEntry(call, &call->program->entries[e]);
  return result;
}

int32_t ampc_rt_guarded_entries(const ampc_program *program) {
  bool skips = program->scale_slot >= 0 && program->nonfinite != AMPC_NONFINITE_ALLOW;
  return program->loss_ready < 0 || skips ? 0 : program->loss_ready;
}
