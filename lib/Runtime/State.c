// Creation: one block of memory, threads, initial values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Device.h"
#include "lib/Runtime/Exchange.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Options of the caller. An older caller's struct is shorter; members beyond its `size` are 0. */
static ampc_options readOptions(const ampc_options *options) {
  ampc_options all;
  memset(&all, 0, sizeof all);
  if (options)
    memcpy(&all, options, options->size < sizeof all ? options->size : sizeof all);
  return all;
}

static ampc_status checkOptions(const ampc_options *given, const ampc_options *options,
                                const ampc_rt_layout *layout, char *error) {
  if (given && given->size < offsetof(ampc_options, want_split))
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected size to be sizeof(ampc_options), but got %u",
                        (uint64_t)given->size);
  if (options->threads < 0 || options->threads > AMPC_MAX_THREADS)
    return ampc_rt_fail(error, AMPC_E_ARG, "options: expected threads in [0, %d], but got %d",
                        (int64_t)AMPC_MAX_THREADS, (int64_t)options->threads);
  if (options->shares != AMPC_SHARES_FIXED && options->shares != AMPC_SHARES_DYNAMIC)
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected shares to be AMPC_SHARES_FIXED or AMPC_SHARES_DYNAMIC, "
                        "but got %d",
                        (int64_t)options->shares);
  if (options->denormals != AMPC_DENORMALS_KEEP && options->denormals != AMPC_DENORMALS_FLUSH)
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected denormals to be AMPC_DENORMALS_KEEP or "
                        "AMPC_DENORMALS_FLUSH, but got %d",
                        (int64_t)options->denormals);
  if (options->pin_threads && options->parallel_for)
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected pin_threads without parallel_for, whose threads are not "
                        "the library's");
  if (options->pin_threads && options->threads > ampc_rt_cpu_count())
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected at most %d threads to pin, as many as the caller may "
                        "use processors, but got %d",
                        (int64_t)ampc_rt_cpu_count(), (int64_t)options->threads);
  if (!options->allocate != !options->release)
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected both allocate and release, or neither");
  if (options->memory && (uintptr_t)options->memory % AMPC_ALIGN)
    return ampc_rt_fail(error, AMPC_E_ARG, "options: expected memory aligned to 64 bytes");
  if (options->memory && options->memory_bytes < layout->total)
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected at least %u bytes of memory, but got %u",
                        (uint64_t)layout->total, (uint64_t)options->memory_bytes);
  return AMPC_OK;
}

static bool lacksValues(const ampc_model *model) {
  for (int32_t s = 0; s < model->slot_count; ++s)
    if (ampc_rt_lacks_value(&model->slots[s]))
      return true;
  return false;
}

static ampc_status checkValues(const ampc_model *model, const ampc_options *options, char *error) {
  if (options->initial_data && *options->initial_data)
    return AMPC_OK;
  return lacksValues(model)
             ? ampc_rt_fail(error, AMPC_E_ARG,
                            "options: expected initial_data, the path of %s.data.safetensors, "
                            "which came with the library, but got none",
                            model->name)
             : AMPC_OK;
}

/* Layout of the target with the largest need: the memory that a caller provides must not depend on
   the target picked at run time. */
static ampc_rt_layout largestLayout(const ampc_model *model, const ampc_options *options) {
  ampc_rt_layout largest = ampc_rt_layout_of(model, options);
  for (model = model->next; model; model = model->next) {
    ampc_rt_layout layout = ampc_rt_layout_of(model, options);
    if (layout.total > largest.total)
      largest = layout;
  }
  return largest;
}

size_t ampc_rt_state_bytes(const ampc_model *model, const ampc_options *options) {
  ampc_options all = readOptions(options);
  if (all.threads < 0 || all.threads > AMPC_MAX_THREADS)
    return 0;
  return largestLayout(model, &all).total;
}

/* Allocates zeros. Fresh pages of the system are zero and are mapped at the first access, on the
   memory node of the accessing thread; unused programs take no pages. Large blocks ask for huge
   pages. `block`: address to free. */
static void *allocateZeros(size_t bytes, void **block) {
  const size_t page = 2u << 20;
  size_t align = bytes < 4 * page ? AMPC_ALIGN : page;
  *block = calloc(1, bytes + align);
  if (!*block)
    return NULL;
  uintptr_t first = ((uintptr_t)*block + align - 1) / align * align;
  if (align == page)
    (void)madvise((void *)first, bytes / page * page, MADV_HUGEPAGE); /* else small pages */
  return (void *)first;
}
static void releaseDefault(void *block, void *memory) {
  (void)memory;
  free(block);
}

void ampc_rt_touch(unsigned char *block, size_t bytes, int32_t share, int32_t shares) {
  size_t number = (size_t)share, count = (size_t)shares;
  volatile unsigned char *data = block;
  for (size_t i = bytes * number / count, end = bytes * (number + 1) / count; i < end; i += 4096)
    data[i] = data[i];
}

static void prefaultWork(const ampc_state *state, int32_t share) {
  const ampc_rt_layout *layout = &state->layout;
  ampc_rt_touch(ampc_rt_at(state, layout->arena), layout->scratch - layout->arena, share,
                layout->thread_count);
  ampc_rt_touch(ampc_rt_at(state, layout->scratch + (size_t)share * layout->scratch_stride),
                layout->scratch_stride, 0, 1);
}

static bool hasSlot(const ampc_state *state, const ampc_slot *slot) {
  return slot->role != AMPC_ROLE_GRADIENT || state->split;
}

/* Clears a thread's share of each tensor in memory of the caller and prefaults the rest of the
   memory. The share is the range that most kernels give the thread, for locality. */
static void clearShare(void *argument, int32_t share) {
  const ampc_state *state = argument;
  size_t shares = (size_t)state->layout.thread_count, number = (size_t)share;
  for (int32_t s = 0; s < state->model->slot_count; ++s) {
    const ampc_slot *slot = &state->model->slots[s];
    if (!hasSlot(state, slot))
      continue;
    size_t bytes = ampc_rt_align((size_t)slot->tensor.bytes);
    size_t begin = bytes * number / shares, end = bytes * (number + 1) / shares;
    memset(ampc_rt_slot_data(state, slot) + begin, 0, end - begin);
  }
  prefaultWork(state, share);
}

static void touchAll(void *argument, int32_t share) {
  const ampc_state *state = argument;
  for (int32_t s = 0; s < state->model->slot_count; ++s) {
    const ampc_slot *slot = &state->model->slots[s];
    if (hasSlot(state, slot))
      ampc_rt_touch(ampc_rt_slot_data(state, slot), (size_t)slot->tensor.bytes, share,
                    state->layout.thread_count);
  }
  prefaultWork(state, share);
}
void ampc_rt_prefault(ampc_state *state) {
  if (!state->is_prefaulted)
    ampc_rt_parallel(state, touchAll, state);
  state->is_prefaulted = true;
}

/* Initial values are drawn on the host for all targets, so that the bits are equal. */
static ampc_status fill(ampc_state *state, uint64_t seed, const char *values, char *error) {
  const struct ampc_rt_device *device = state->model->device;
  ampc_rt_initialise(state, seed);
  ampc_status status = device ? device->push(state, error) : AMPC_OK;
  if (status)
    return status;
  status = values ? ampc_rt_load_values(state, values) : ampc_rt_derive(state);
  if (status && error)
    memcpy(error, state->error, AMPC_ERROR_BYTES);
  return status;
}

static ampc_status start(const ampc_model *model, const ampc_options *options,
                         const ampc_rt_layout *layout, const ampc_rt_choice *choice,
                         ampc_state **result, char *error) {
  bool is_zero = !options->memory && !options->allocate;
  void *context = options->allocator_context;
  void *memory = options->memory     ? options->memory
                 : options->allocate ? options->allocate(context, layout->total)
                                     : allocateZeros(layout->total, &context);
  if (!memory)
    return ampc_rt_fail(error, AMPC_E_MEMORY, "could not allocate %u bytes",
                        (uint64_t)layout->total);
  if ((uintptr_t)memory % AMPC_ALIGN) {
    options->release(context, memory);
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected allocate to give memory aligned to 64 bytes");
  }
  ampc_state *state = memory;
  if (!is_zero) {
    memset(state, 0, layout->slots);
    memset((char *)memory + layout->room, 0, layout->total - layout->room);
  }
  state->model = model;
  state->process = getpid();
  state->layout = *layout;
  state->tier = choice->tier;
  state->split = options->want_split != 0;
  state->dynamic = options->shares == AMPC_SHARES_DYNAMIC;
  state->flushes = options->denormals == AMPC_DENORMALS_FLUSH;
  state->skip_limit = options->skip_limit;
  state->own_memory = !options->memory;
  state->release = options->release ? options->release : releaseDefault;
  state->allocator_context = context;
  state->parallel_for = options->parallel_for;
  state->parallel_context = options->parallel_context;
  ampc_rt_set_hooks(state, &options->hooks);
  int32_t workers = state->parallel_for ? 0 : layout->thread_count - 1;
  ampc_status status = ampc_rt_pool_start(&state->pool, workers,
                                          (ampc_rt_worker *)ampc_rt_at(state, layout->threads),
                                          options->pin_threads != 0, error);
  if (!status && !is_zero)
    ampc_rt_parallel(state, clearShare, state);
  state->is_prefaulted = !is_zero || model->device;
  if (!status && model->device)
    status = model->device->create(state, choice->device, options->stream, error);
  if (!status)
    status = fill(state, options->seed, lacksValues(model) ? options->initial_data : NULL, error);
  if (!status)
    status = ampc_rt_exchange_create(state, options, error);
  if (status) {
    ampc_rt_destroy(state);
    return status;
  }
  *result = state;
  return AMPC_OK;
}

static void logStart(const ampc_state *state) {
  if (!state->hooks.on_log)
    return;
  char line[AMPC_ERROR_BYTES];
  ampc_rt_text text = {line, sizeof line, 0};
  if (state->model->device)
    ampc_rt_tell(&text, "%s: tier %s", state->model->name, ampc_rt_tier(state));
  else
    ampc_rt_tell(&text, "%s: tier %s, %d threads, %u bytes", state->model->name,
                 ampc_rt_tier(state), (int64_t)state->layout.thread_count,
                 (uint64_t)state->layout.total);
  state->hooks.on_log(state->hooks.context, line);
}

ampc_status ampc_rt_create(const ampc_model *model, const ampc_options *given, ampc_state **state) {
  char error[AMPC_ERROR_BYTES] = "";
  ampc_options options = readOptions(given);
  if (!state)
    return ampc_rt_fail(NULL, AMPC_E_ARG, "state is null");
  *state = NULL;
  ampc_rt_layout layout;
  memset(&layout, 0, sizeof layout);
  if (options.threads >= 0 && options.threads <= AMPC_MAX_THREADS)
    layout = largestLayout(model, &options);
  ampc_rt_choice choice = {model, AMPC_TIER_PLAIN, 0};
  ampc_status status = checkOptions(given, &options, &layout, error);
  if (!status)
    status = checkValues(model, &options, error);
  if (!status)
    status = ampc_rt_choose(model, options.device, &choice, error);
  if (!status) {
    layout = ampc_rt_layout_of(choice.model, &options);
    status = start(choice.model, &options, &layout, &choice, state, error);
  }
  if (status && options.error && options.error_bytes) {
    ampc_rt_text text = {options.error, options.error_bytes, 0};
    options.error[0] = 0; /* there may be room for nothing else */
    ampc_rt_put(&text, error);
  }
  if (!status)
    logStart(*state);
  return status;
}

ampc_status ampc_rt_enter_process(ampc_state *state, char *error) {
  if ((!state->pool.workers && !state->model->device) || state->process == getpid())
    return AMPC_OK;
  state->pool.lost = true;
  return state->model->device
             ? ampc_rt_fail(error, AMPC_E_DEVICE,
                            "expected the process that created the state, but got a child of fork, "
                            "which has no context of the GPU")
             : AMPC_OK;
}

void ampc_rt_destroy(ampc_state *state) {
  if (!state)
    return;
  bool is_here = ampc_rt_enter_process(state, NULL) == AMPC_OK;
  ampc_rt_pool_stop(&state->pool);
  if (state->model->device && is_here)
    state->model->device->destroy(state);
  if (state->own_memory)
    state->release(state->allocator_context, state);
}

void ampc_rt_set_hooks(ampc_state *state, const ampc_hooks *hooks) {
  if (!state)
    return;
  memset(&state->hooks, 0, sizeof state->hooks);
  if (hooks)
    memcpy(&state->hooks, hooks, hooks->size < sizeof *hooks ? hooks->size : sizeof *hooks);
}

int32_t ampc_rt_tensor_count(const ampc_model *model) {
  int32_t count = model->slot_count;
  while (count > 0 && model->slots[count - 1].role == AMPC_ROLE_WORKING)
    --count;
  return count;
}

const ampc_tensor *ampc_rt_tensor(const ampc_model *model, int32_t number) {
  return number >= 0 && number < ampc_rt_tensor_count(model) ? &model->slots[number].tensor : NULL;
}

int32_t ampc_rt_find_tensor(const ampc_model *model, const char *name) {
  int32_t count = ampc_rt_tensor_count(model);
  for (int32_t s = 0; name && s < count; ++s)
    if (!strcmp(model->slots[s].tensor.name, name))
      return s;
  return -1;
}

int32_t ampc_rt_tensor_role(const ampc_model *model, int32_t number) {
  return number >= 0 && number < ampc_rt_tensor_count(model) ? model->slots[number].role : -1;
}

/* Null if the state has none of that number. */
static const ampc_slot *findSlot(const ampc_state *state, int32_t number) {
  if (!state || number < 0 || number >= state->model->slot_count)
    return NULL;
  const ampc_slot *slot = &state->model->slots[number];
  return slot->role == AMPC_ROLE_GRADIENT && !state->split ? NULL : slot;
}

void *ampc_rt_tensor_data(ampc_state *state, int32_t number) {
  const ampc_slot *slot = findSlot(state, number);
  if (!slot)
    return NULL;
  return state->model->device ? state->model->device->address(state, slot)
                              : ampc_rt_slot_data(state, slot);
}

static ampc_status checkTensor(const ampc_slot *slot, const void *data, size_t bytes,
                               const char *what, char *error) {
  if (!slot)
    return ampc_rt_fail(error, AMPC_E_ARG, "%s: the state has no such tensor", what);
  if (!data)
    return ampc_rt_fail(error, AMPC_E_ARG, "%s: data is null", what);
  if (bytes != (size_t)slot->tensor.bytes)
    return ampc_rt_fail(error, AMPC_E_SHAPE, "%s: expected the %d bytes of '%s', but got %u", what,
                        slot->tensor.bytes, slot->tensor.name, (uint64_t)bytes);
  return AMPC_OK;
}

ampc_status ampc_rt_get(ampc_state *state, int32_t number, void *data, size_t bytes) {
  if (!state)
    return AMPC_E_ARG;
  state->error[0] = 0;
  const ampc_slot *slot = findSlot(state, number);
  ampc_status status = checkTensor(slot, data, bytes, "get", state->error);
  if (status || (status = ampc_rt_enter_process(state, state->error)))
    return status;
  const struct ampc_rt_device *device = state->model->device;
  if (device && !slot->tensor.memory_rank)
    return device->read(state, slot, data, state->error);
  if (device && (status = device->read(state, slot, ampc_rt_slot_data(state, slot), state->error)))
    return status;
  ampc_rt_to_logical(&slot->tensor, ampc_rt_slot_data(state, slot), 0, (int64_t)bytes, data);
  return AMPC_OK;
}

ampc_status ampc_rt_set(ampc_state *state, int32_t number, const void *data, size_t bytes) {
  if (!state)
    return AMPC_E_ARG;
  state->error[0] = 0;
  const ampc_slot *slot = findSlot(state, number);
  ampc_status status = checkTensor(slot, data, bytes, "set", state->error);
  if (!status && !ampc_rt_is_valid_count(slot, data))
    status = ampc_rt_fail(state->error, AMPC_E_ARG, "set: '%s': " AMPC_EXPECTED_COUNT,
                          slot->tensor.name);
  if (!status)
    status = ampc_rt_check_knob(slot, data, NULL, state->error);
  if (status || (status = ampc_rt_enter_process(state, state->error)))
    return status;
  unsigned char *memory = ampc_rt_slot_data(state, slot);
  ampc_rt_note_change(state);
  ampc_rt_from_logical(&slot->tensor, memory, data);
  if (state->model->device)
    status = state->model->device->write(state, slot, memory, state->error);
  ampc_rt_note_change(state);
  return status ? status : ampc_rt_derive(state);
}
