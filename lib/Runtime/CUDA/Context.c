// Creation of a state on a GPU: one allocation of device memory, its layout, context and stream.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/CUDA/Context.h"
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

ampc_status ampc_rt_cuda_enter(ampc_cuda *cuda, char *error) {
  if (cuda->lost)
    return ampc_rt_fail(error, AMPC_E_DEVICE,
                        "cuda: the device was lost in an earlier call; destroy this state");
  return ampc_rt_cuda_check(&cuda->driver, cuda->driver.push(cuda->context),
                            "could not select the device", error);
}

void ampc_rt_cuda_leave(ampc_cuda *cuda) {
  void *context;
  cuda->driver.pop(&context);
}

ampc_status ampc_rt_cuda_done(ampc_cuda *cuda, int result, const char *what, char *error) {
  if (result)
    cuda->lost = true;
  return ampc_rt_cuda_check(&cuda->driver, result, what, error);
}

static int32_t launchCount(const ampc_model *model) {
  int32_t count = 0;
  for (int32_t k = 0; k < model->kernel_count; ++k)
    count += model->kernels[k].launch_count;
  return count;
}

static int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }

static int32_t tensorRoom(const ampc_model *model) {
  int32_t count = 1;
  for (int32_t p = 0; p < model->program_count; ++p)
    count = most(count, most(model->programs[p].input_count, model->programs[p].output_count));
  return count;
}

/* Lays out the struct and the arrays behind the struct; returns the total bytes. `cuda` may be
   null. */
static size_t layOut(const ampc_model *model, ampc_cuda *cuda) {
  int32_t operands = ampc_rt_operand_room(model), tensors = tensorRoom(model);
  size_t pointer = sizeof(void *), total = ampc_rt_align(sizeof(ampc_cuda));
  unsigned char *base = (unsigned char *)cuda;
#define AMPC_CUDA_ARRAY(member, count)                                                             \
  if (cuda)                                                                                        \
    cuda->member = (void *)(base + total);                                                         \
  total = ampc_rt_align(total + pointer * (size_t)(count));
  AMPC_CUDA_ARRAY(functions, launchCount(model))
  AMPC_CUDA_ARRAY(first_function, model->kernel_count)
  AMPC_CUDA_ARRAY(graphs, model->program_count)
  AMPC_CUDA_ARRAY(constant_addresses, model->constant_count)
  AMPC_CUDA_ARRAY(parameters, operands + 1 + AMPC_MAPS)
  AMPC_CUDA_ARRAY(places, operands + 1)
  AMPC_CUDA_ARRAY(input_places, tensors)
  AMPC_CUDA_ARRAY(output_places, tensors)
#undef AMPC_CUDA_ARRAY
  return total;
}

static size_t bytesOf(const ampc_model *model) { return layOut(model, NULL); }

static size_t tensorBytes(const ampc_tensor *tensors, int32_t count) {
  size_t bytes = 0;
  for (int32_t i = 0; i < count; ++i)
    bytes += ampc_rt_cuda_align((size_t)tensors[i].bytes);
  return bytes;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t reportBytes(const ampc_model *model) {
  return AMPC_CUDA_ALIGN * (size_t)(ampc_rt_max_outputs(model) + 3);
}

/* Assigns offsets in the allocation of device memory; returns the bytes of the allocation. */
static size_t planMemory(ampc_cuda *cuda) {
  const ampc_state *state = cuda->state;
  const ampc_model *model = state->model;
  size_t inputs = 0, outputs = 0, constants = 0, total = 0;
  for (int32_t p = 0; p < model->program_count; ++p) {
    const ampc_program *program = &model->programs[p];
    inputs = larger(inputs, tensorBytes(program->inputs, program->input_count));
    outputs = larger(outputs, tensorBytes(program->outputs, program->output_count));
  }
  for (int32_t c = 0; c < model->constant_count; ++c)
    constants += ampc_rt_cuda_align((size_t)model->constant_bytes[c]);
  struct {
    ampc_cuda_address *place;
    size_t bytes;
  } parts[] = {{&cuda->slots, state->layout.slot_bytes},
               {&cuda->arena, (size_t)model->arena_bytes},
               {&cuda->constants, constants},
               {&cuda->inputs, inputs},
               {&cuda->outputs, outputs},
               {&cuda->control, sizeof(ampc_control)},
               {&cuda->stop, sizeof(int64_t)},
               {&cuda->report_on_device, reportBytes(model)}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    *parts[i].place = total;
    total += ampc_rt_cuda_align(parts[i].bytes);
  }
  return total;
}

static ampc_status allocate(ampc_cuda *cuda, char *error) {
  size_t bytes = planMemory(cuda);
  int result = cuda->driver.allocate(&cuda->memory, bytes);
  if (result == AMPC_CUDA_OUT_OF_MEMORY)
    return ampc_rt_fail(error, AMPC_E_MEMORY, "cuda: could not allocate %u bytes on device %d",
                        (uint64_t)bytes, (int64_t)cuda->number);
  ampc_status status = ampc_rt_cuda_check(&cuda->driver, result, "no memory", error);
  if (status)
    return status;
  ampc_cuda_address *places[] = {&cuda->slots,  &cuda->arena,           &cuda->constants,
                                 &cuda->inputs, &cuda->outputs,         &cuda->control,
                                 &cuda->stop,   &cuda->report_on_device};
  for (size_t i = 0; i < sizeof places / sizeof *places; ++i)
    *places[i] += cuda->memory;
  void *report = NULL;
  status = ampc_rt_cuda_check(
      &cuda->driver, cuda->driver.allocate_host(&report, reportBytes(cuda->state->model), 0),
      "no memory of the host that the device can write", error);
  cuda->report = report;
  /* Memory is zero before the first write of a kernel, as on the host. */
  return status ? status
                : ampc_rt_cuda_check(&cuda->driver,
                                     cuda->driver.fill(cuda->memory, 0, bytes, cuda->stream),
                                     "could not clear memory", error);
}

static ampc_status copyConstants(ampc_cuda *cuda, char *error) {
  const ampc_model *model = cuda->state->model;
  ampc_cuda_address place = cuda->constants;
  for (int32_t c = 0; c < model->constant_count; ++c) {
    size_t bytes = (size_t)model->constant_bytes[c];
    cuda->constant_addresses[c] = ampc_rt_cuda_pointer(place);
    ampc_status status = ampc_rt_cuda_check(
        &cuda->driver, cuda->driver.to_device(place, model->constants[c], bytes, cuda->stream),
        "could not copy constants", error);
    if (status)
      return status;
    place += ampc_rt_cuda_align(bytes);
  }
  return AMPC_OK;
}

/* Number of the device in the driver, and compute capability. */
static ampc_status findDevice(const ampc_cuda_driver *driver, int32_t number, int *device,
                              int32_t *capability, char *error) {
  int count = 0, major = 0, minor = 0;
  ampc_status status =
      ampc_rt_cuda_check(driver, driver->device_count(&count), "no devices", error);
  if (status)
    return status;
  if (number < 0 || number >= count)
    return ampc_rt_fail(error, AMPC_E_DEVICE, "cuda: expected a device below %d, but got %d",
                        (int64_t)count, (int64_t)number);
  int result = driver->device(device, number);
  if (!result)
    result = driver->device_attribute(&major, AMPC_CUDA_CAPABILITY_MAJOR, *device);
  if (!result)
    result = driver->device_attribute(&minor, AMPC_CUDA_CAPABILITY_MINOR, *device);
  *capability = 10 * major + minor;
  return ampc_rt_cuda_check(driver, result, "the device does not report a compute capability",
                            error);
}

static ampc_status probe(int32_t number, int32_t *capability, char *error) {
  ampc_cuda_driver driver;
  int device;
  ampc_status status = ampc_rt_cuda_open(&driver, error);
  if (status)
    return status;
  status = findDevice(&driver, number, &device, capability, error);
  ampc_rt_cuda_close(&driver);
  return status;
}

/* Streams of a caller belong to a context; the two that have numbers are everyone's. */
enum { LAST_NUMBERED_STREAM = 2 };

/* Context of the caller's stream, else the primary context of the device. */
static ampc_status openContext(ampc_cuda *cuda, void *stream, char *error) {
  const ampc_cuda_driver *driver = &cuda->driver;
  if ((uintptr_t)stream > LAST_NUMBERED_STREAM)
    return ampc_rt_cuda_check(driver, driver->stream_context(stream, &cuda->context),
                              "options.stream has no context", error);
  ampc_status status =
      ampc_rt_cuda_check(driver, driver->retain(&cuda->context, cuda->device), "no context", error);
  cuda->primary = !status;
  return status;
}

static ampc_status checkContext(const ampc_cuda *cuda, char *error) {
  int device = -1;
  ampc_status status = ampc_rt_cuda_check(&cuda->driver, cuda->driver.context_device(&device),
                                          "the context has no device", error);
  if (!status && device != cuda->device)
    return ampc_rt_fail(error, AMPC_E_ARG,
                        "options: expected a stream of device %d, but got a stream of device %d",
                        (int64_t)cuda->device, (int64_t)device);
  return status;
}

static ampc_status start(ampc_cuda *cuda, int32_t capability, void *stream, char *error) {
  const ampc_cuda_driver *driver = &cuda->driver;
  cuda->stream = stream;
  if (!stream) {
    ampc_status status = ampc_rt_cuda_check(
        driver, driver->create_stream(&cuda->stream, AMPC_CUDA_NON_BLOCKING), "no stream", error);
    if (status)
      return status;
    cuda->own_stream = true;
  }
  ampc_status status = ampc_rt_cuda_load(cuda, capability, error);
  if (!status)
    status = allocate(cuda, error);
  return status ? status : copyConstants(cuda, error);
}

static void destroy(ampc_state *state) {
  ampc_cuda *cuda = ampc_rt_cuda_of(state);
  const ampc_cuda_driver *driver = &cuda->driver;
  if (!driver->library)
    return;
  if (cuda->context && !driver->push(cuda->context)) {
    if (cuda->stream)
      driver->synchronize(cuda->stream);
    for (int32_t p = 0; p < state->model->program_count; ++p)
      if (cuda->graphs[p])
        driver->destroy_executable(cuda->graphs[p]);
    ampc_rt_cuda_destroy_spans(cuda);
    if (cuda->memory)
      driver->free(cuda->memory);
    if (cuda->report)
      driver->free_host(cuda->report);
    if (cuda->module)
      driver->unload_module(cuda->module);
    if (cuda->helpers)
      driver->unload_module(cuda->helpers);
    if (cuda->own_stream)
      driver->destroy_stream(cuda->stream);
    ampc_rt_cuda_leave(cuda);
  }
  if (cuda->primary)
    driver->release(cuda->device);
  pthread_mutex_destroy(&cuda->mutex);
  ampc_rt_cuda_close(&cuda->driver);
}

/* If creation fails, the caller destroys the state. */
static ampc_status create(ampc_state *state, int32_t number, void *stream, char *error) {
  ampc_cuda *cuda = ampc_rt_cuda_of(state);
  layOut(state->model, cuda);
  cuda->state = state;
  cuda->number = number;
  ampc_status status = ampc_rt_cuda_open(&cuda->driver, error);
  if (status)
    return status;
  pthread_mutex_init(&cuda->mutex, NULL);
  int32_t capability = 0;
  status = findDevice(&cuda->driver, number, &cuda->device, &capability, error);
  if (!status)
    status = openContext(cuda, stream, error);
  if (!status)
    status = ampc_rt_cuda_enter(cuda, error);
  if (status)
    return status;
  status = checkContext(cuda, error);
  if (!status)
    status = start(cuda, capability, stream, error);
  ampc_rt_cuda_leave(cuda);
  return status;
}

//===--- Tensors ------------------------------------------------------------------------------===//

static ampc_cuda_address addressOf(const ampc_cuda *cuda, const ampc_slot *slot) {
  return cuda->slots + (ampc_cuda_address)slot->offset;
}

/* Copies between device and host memory, and waits for the copy. */
static ampc_status transfer(ampc_cuda *cuda, ampc_cuda_address place, void *to, const void *from,
                            size_t bytes, char *error) {
  ampc_status status = ampc_rt_cuda_enter(cuda, error);
  if (status)
    return status;
  int result = bytes == 0 ? 0
               : to       ? cuda->driver.to_host(to, place, bytes, cuda->stream)
                          : cuda->driver.to_device(place, from, bytes, cuda->stream);
  if (!result)
    result = cuda->driver.synchronize(cuda->stream);
  status = ampc_rt_cuda_done(cuda, result, "could not copy tensors", error);
  ampc_rt_cuda_leave(cuda);
  return status;
}

/* Returns the pages of tensors to the system. Scalars, which the host reads between runs, share no
   page with tensors. Memory of the caller is kept. */
static void forget(const ampc_state *state) {
  if (!state->own_memory)
    return;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int32_t s = 0; s < state->model->slot_count; ++s) {
    const ampc_slot *slot = &state->model->slots[s];
    if ((size_t)(slot->offset + slot->tensor.bytes) > state->layout.slot_bytes)
      continue; /* a gradient of split calls, which this state does not have */
    uintptr_t start = (uintptr_t)ampc_rt_slot_data(state, slot);
    uintptr_t first = (start + page - 1) / page * page;
    uintptr_t end = (start + (uintptr_t)slot->tensor.bytes) / page * page;
    if (end > first)
      madvise((void *)first, end - first, MADV_DONTNEED);
  }
}

static ampc_status push(ampc_state *state, char *error) {
  ampc_cuda *cuda = ampc_rt_cuda_of(state);
  ampc_status status = transfer(cuda, cuda->slots, NULL, ampc_rt_at(state, state->layout.slots),
                                state->layout.slot_bytes, error);
  if (!status)
    forget(state);
  return status;
}
static ampc_status pull(const ampc_state *state, char *error) {
  ampc_cuda *cuda = ampc_rt_cuda_of(state);
  return transfer(cuda, cuda->slots, ampc_rt_at(state, state->layout.slots), NULL,
                  state->layout.slot_bytes, error);
}
static ampc_status writeTensor(ampc_state *state, const ampc_slot *slot, const void *data,
                               char *error) {
  ampc_cuda *cuda = ampc_rt_cuda_of(state);
  return transfer(cuda, addressOf(cuda, slot), NULL, data, (size_t)slot->tensor.bytes, error);
}
static ampc_status readTensor(const ampc_state *state, const ampc_slot *slot, void *data,
                              char *error) {
  ampc_cuda *cuda = ampc_rt_cuda_of(state);
  return transfer(cuda, addressOf(cuda, slot), data, NULL, (size_t)slot->tensor.bytes, error);
}
static void *tensorAddress(const ampc_state *state, const ampc_slot *slot) {
  return ampc_rt_cuda_pointer(addressOf(ampc_rt_cuda_of(state), slot));
}

static int32_t numberOf(const ampc_state *state) { return ampc_rt_cuda_of(state)->number; }

enum { DLPACK_CUDA = 2 };
const struct ampc_rt_device ampc_rt_cuda = {"cuda",
                                            DLPACK_CUDA,
                                            probe,
                                            bytesOf,
                                            create,
                                            destroy,
                                            push,
                                            pull,
                                            forget,
                                            writeTensor,
                                            readTensor,
                                            numberOf,
                                            tensorAddress,
                                            ampc_rt_cuda_holds,
                                            ampc_rt_cuda_run};
