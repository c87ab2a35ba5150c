// One run of a program on a GPU: copy inputs, launch one CUDA graph, copy results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses are equal in all runs, so that the launches of a program are captured once and replayed
// as one graph. Kernels read per-run values (valid rows, learning rate factor, random counter, loss
// scale) from memory.
#include "lib/Runtime/CUDA/Context.h"
#include <string.h>

static int launch(ampc_cuda *cuda, void *function, const ampc_launch *shape, void **parameters) {
  ampc_cuda_attribute cluster;
  memset(&cluster, 0, sizeof cluster);
  cluster.id = AMPC_CUDA_LAUNCH_CLUSTER;
  memcpy(cluster.value.cluster, shape->cluster, sizeof shape->cluster);
  ampc_cuda_config config;
  memset(&config, 0, sizeof config);
  memcpy(config.grid, shape->grid, sizeof config.grid);
  memcpy(config.block, shape->block, sizeof config.block);
  config.shared_bytes = shape->shared_bytes;
  config.stream = cuda->stream;
  config.attributes = &cluster;
  config.attribute_count = shape->cluster[0] * shape->cluster[1] * shape->cluster[2] > 1;
  return cuda->driver.launch(&config, function, parameters, NULL);
}

static int launchHelper(ampc_cuda *cuda, int helper, void **parameters) {
  static const ampc_launch one = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}};
  static const ampc_launch block = {.grid = {1, 1, 1}, .block = {256, 1, 1}, .cluster = {1, 1, 1}};
  return launch(cuda, cuda->helper[helper], helper == AMPC_CUDA_LABELS ? &block : &one, parameters);
}

static int mapType(int32_t dtype) {
  return dtype == AMPC_F16    ? AMPC_CUDA_MAP_F16
         : dtype == AMPC_BF16 ? AMPC_CUDA_MAP_BF16
         : dtype == AMPC_F64  ? AMPC_CUDA_MAP_F64
                              : AMPC_CUDA_MAP_F32;
}

/* Encodes a TMA tensor map on the host, only for a capture or for single launches: a graph keeps
   the parameters of its launches. */
static int encodeMap(const ampc_cuda *cuda, const ampc_tensor_map *map, void *const *operands,
                     void *to) {
  static const uint32_t steps[AMPC_MAP_RANK] = {1, 1, 1, 1, 1};
  int swizzle = 0; /* 32, 64 and 128 bytes have the numbers 1, 2 and 3 */
  while (map->swizzle >> swizzle > 16)
    ++swizzle;
  return cuda->driver.encode_map(to, mapType(map->dtype), (uint32_t)map->rank,
                                 (unsigned char *)operands[map->operand] + map->offset, map->sizes,
                                 map->strides, map->box, steps, 0, swizzle, AMPC_CUDA_MAP_LINE, 0);
}

/* `operands`: addresses on the device. */
static int launchAll(ampc_cuda *cuda, const ampc_rt_call *call, const ampc_entry *entry) {
  const ampc_kernel *kernel = &call->state->model->kernels[entry->number];
  void *stop = entry->writes_state ? call->stop : NULL;
  _Alignas(64) unsigned char maps[AMPC_MAPS][AMPC_MAP_BYTES];
  for (int32_t l = 0; l < kernel->launch_count; ++l) {
    const ampc_launch *shape = &kernel->launches[l];
    int32_t count = shape->parameters ? shape->parameter_count : entry->operand_count;
    for (int32_t i = 0; i < count; ++i)
      cuda->parameters[i] = &call->operands[shape->parameters ? shape->parameters[i] : i];
    cuda->parameters[count] = &stop;
    int result = 0;
    for (int32_t i = 0; i < shape->map_count && !result; ++i) {
      result = encodeMap(cuda, &shape->maps[i], call->operands, maps[i]);
      cuda->parameters[count + 1 + i] = maps[i];
    }
    if (result)
      return result;
    result = launch(cuda, cuda->functions[cuda->first_function[entry->number] + l], shape,
                    cuda->parameters);
    if (result)
      return result;
  }
  return 0;
}

static bool isTimed(const ampc_rt_call *call) { return call->hooks && call->hooks->on_span; }

int ampc_rt_cuda_launch(const ampc_rt_call *call, const ampc_entry *entry) {
  ampc_cuda *cuda = ampc_rt_cuda_of(call->state);
  if (!isTimed(call))
    return launchAll(cuda, call, entry);
  int result = ampc_rt_cuda_begin_span(cuda, call->hooks);
  if (!result)
    result = launchAll(cuda, call, entry);
  return result ? result : ampc_rt_cuda_end_span(cuda, entry->name);
}

/* Launches the guard: a loss that is not finite sets the flag at which kernels that write state
   return. */
static int guard(ampc_cuda *cuda, const ampc_program *program) {
  int64_t offset = 0;
  uint32_t mask = 0x7f80;
  switch (program->outputs[program->loss_output].dtype) {
  case AMPC_F64:
    offset = 6;
    mask = 0x7ff0;
    break;
  case AMPC_F32:
    offset = 2;
    break;
  case AMPC_F16:
    mask = 0x7c00;
    break;
  }
  ampc_cuda_address bits = ampc_rt_cuda_address(cuda->output_places[program->loss_output]);
  bits += (ampc_cuda_address)offset;
  void *parameters[] = {&bits, &mask, &cuda->stop};
  return launchHelper(cuda, AMPC_CUDA_GUARD, parameters);
}

static int advanceRandom(ampc_cuda *cuda) {
  const ampc_model *model = cuda->state->model;
  int result = 0;
  for (int32_t s = 0; s < model->slot_count && !result; ++s) {
    if (model->slots[s].role != AMPC_ROLE_RANDOM)
      continue;
    ampc_cuda_address counter = cuda->slots + (ampc_cuda_address)model->slots[s].offset + 8;
    void *parameters[] = {&counter};
    result = launchHelper(cuda, AMPC_CUDA_ADVANCE, parameters);
  }
  return result;
}

/* Address of report entry `number`: [scalars of the program | updates, loss scale, flag of a
   non-finite loss]. A single copy transfers the report. */
static ampc_cuda_address reportAddress(const ampc_cuda *cuda, int32_t number) {
  return cuda->report_on_device + (ampc_cuda_address)(AMPC_CUDA_ALIGN * number);
}

static const ampc_slot *reportedSlot(const ampc_program *program, const ampc_model *model, int i) {
  int32_t number = i ? program->scale_slot : program->step_slot;
  return number < 0 ? NULL : &model->slots[number];
}

/* Part of the graph: the values after the step. */
static int gatherReport(ampc_cuda *cuda, const ampc_program *program) {
  int result = 0;
  for (int i = 0; i < 2 && !result; ++i) {
    const ampc_slot *slot = reportedSlot(program, cuda->state->model, i);
    if (slot)
      result = cuda->driver.copy(reportAddress(cuda, program->output_count + i),
                                 cuda->slots + (ampc_cuda_address)slot->offset,
                                 (size_t)slot->tensor.bytes, cuda->stream);
  }
  return result ? result
                : cuda->driver.copy(reportAddress(cuda, program->output_count + 2), cuda->stop,
                                    sizeof(int32_t), cuda->stream);
}

/* All launches of the program, on the stream. */
static int enqueue(ampc_cuda *cuda, const ampc_rt_call *call) {
  const ampc_program *program = call->program;
  int32_t ready = ampc_rt_guarded_entries(program);
  int result = cuda->driver.fill(cuda->stop, 0, sizeof(int32_t), cuda->stream);
  if (!result)
    result = ampc_rt_walk(call, 0, ready);
  if (!result && ready)
    result = guard(cuda, program);
  if (!result)
    result = ampc_rt_walk(call, ready, program->entry_count);
  if (!result && ampc_rt_takes_data(program))
    result = advanceRandom(cuda);
  if (!result && ampc_rt_is_training(program))
    result = gatherReport(cuda, program);
  return result;
}

/* Captures the launches as a graph; ends the capture also after an error. */
static int record(ampc_cuda *cuda, const ampc_rt_call *call, void **executable) {
  const ampc_cuda_driver *driver = &cuda->driver;
  void *graph = NULL;
  int result = driver->begin_capture(cuda->stream, AMPC_CUDA_CAPTURE_THREAD);
  if (result)
    return result;
  result = enqueue(cuda, call);
  int ended = driver->end_capture(cuda->stream, &graph);
  if (!result)
    result = ended;
  if (!result)
    result = driver->instantiate(executable, graph, 0);
  if (graph)
    driver->destroy_graph(graph);
  return result;
}

/* Runs the graph. Timed kernels, and the few kernels that follow create, are launched singly. */
static int runKernels(ampc_cuda *cuda, const ampc_rt_call *call) {
  void **executable = &cuda->graphs[call->program - call->state->model->programs];
  bool once = call->program->kind == AMPC_PROGRAM_DERIVE;
  if (isTimed(call)) {
    cuda->span_count = 0; /* none from a run that failed */
    int result = enqueue(cuda, call);
    return result ? result : ampc_rt_cuda_flush_spans(cuda, call->hooks);
  }
  if (once)
    return enqueue(cuda, call);
  int result = *executable ? 0 : record(cuda, call, executable);
  return result ? result : cuda->driver.launch_graph(*executable, cuda->stream);
}

//===--- Inputs and outputs -------------------------------------------------------------------===//

static bool isReported(const ampc_program *program, int32_t output) {
  return ampc_rt_is_training(program) && program->outputs[output].rank == 0;
}

static bool isOnDevice(ampc_cuda *cuda, const void *pointer) {
  uint32_t kind = 0;
  int result = cuda->driver.pointer_attribute(&kind, AMPC_CUDA_POINTER_MEMORY_TYPE,
                                              ampc_rt_cuda_address(pointer));
  return !result && kind == AMPC_CUDA_MEMORY_DEVICE;
}

static int copyIn(ampc_cuda *cuda, ampc_cuda_address to, const void *from, size_t bytes) {
  return isOnDevice(cuda, from)
             ? cuda->driver.copy(to, ampc_rt_cuda_address(from), bytes, cuda->stream)
             : cuda->driver.to_device(to, from, bytes, cuda->stream);
}

static int copyOut(ampc_cuda *cuda, void *to, ampc_cuda_address from, size_t bytes) {
  return isOnDevice(cuda, to)
             ? cuda->driver.copy(ampc_rt_cuda_address(to), from, bytes, cuda->stream)
             : cuda->driver.to_host(to, from, bytes, cuda->stream);
}

/* Copies the rows of a short batch and pads the batch with copies of the first row. */
static int copyRows(ampc_cuda *cuda, const ampc_rt_call *call, const ampc_tensor *tensor,
                    ampc_cuda_address to, const void *from) {
  size_t rows = (size_t)call->program->batch, valid = (size_t)call->control.valid;
  if (!tensor->batched || valid == rows)
    return copyIn(cuda, to, from, (size_t)tensor->bytes);
  size_t row = (size_t)tensor->bytes / rows;
  int result = copyIn(cuda, to, from, row * valid);
  for (size_t r = valid; r < rows && !result; ++r)
    result = cuda->driver.copy(to + row * r, to, row, cuda->stream);
  return result;
}

static void placeTensors(const ampc_tensor *tensors, int32_t count, ampc_cuda_address start,
                         void **places) {
  for (int32_t i = 0; i < count; ++i) {
    places[i] = ampc_rt_cuda_pointer(start);
    start += ampc_rt_cuda_align((size_t)tensors[i].bytes);
  }
}

static int copyInputs(ampc_cuda *cuda, const ampc_rt_call *call) {
  const ampc_program *program = call->program;
  int result =
      cuda->driver.to_device(cuda->control, &call->control, sizeof call->control, cuda->stream);
  if (!result && call->random && !call->control.random[0]) /* a call without a seed */
    result = cuda->driver.copy(cuda->control + offsetof(ampc_control, random),
                               cuda->slots + (size_t)call->random->offset,
                               sizeof call->control.random, cuda->stream);
  for (int32_t i = 0; i < program->input_count && !result; ++i)
    result = copyRows(cuda, call, &program->inputs[i], ampc_rt_cuda_address(cuda->input_places[i]),
                      call->inputs[i]);
  return result;
}

bool ampc_rt_cuda_holds(const ampc_state *state, const void *data) {
  ampc_cuda *cuda = ampc_rt_cuda_of(state);
  char error[AMPC_ERROR_BYTES];
  if (ampc_rt_cuda_enter(cuda, error))
    return false;
  bool held = isOnDevice(cuda, data);
  ampc_rt_cuda_leave(cuda);
  return held;
}

/* Checks the labels of an input in device memory. *wrong: element count minus the index of the
   first label outside the limits, or 0, e.g. 8 elements, index 2 -> 6. */
static int findWrongLabel(ampc_cuda *cuda, const ampc_tensor *input, void *data, int64_t *wrong) {
  int64_t count = ampc_rt_element_count(input);
  uint32_t size = (uint32_t)__builtin_ctz((unsigned)ampc_rt_dtype_bytes(input->dtype));
  uint32_t sign = input->dtype == AMPC_I8;
  ampc_labels labels = {0};
  int result = cuda->driver.fill(cuda->stop, 0, sizeof *wrong, cuda->stream);
  while (!result && ampc_rt_next_labels(input, &labels)) {
    void *parameters[] = {&data,         &count,         &size,          &sign,
                          &labels.least, &labels.limit,  &labels.ignore, &labels.first,
                          &labels.width, &labels.period, &cuda->stop};
    result = launchHelper(cuda, AMPC_CUDA_LABELS, parameters);
  }
  if (!result)
    result = cuda->driver.to_host(cuda->report, cuda->stop, sizeof *wrong, cuda->stream);
  if (!result)
    result = cuda->driver.synchronize(cuda->stream);
  memcpy(wrong, cuda->report, sizeof *wrong);
  return result;
}

static int readLabel(ampc_cuda *cuda, const ampc_tensor *input, const void *data, int64_t element,
                     int64_t *value) {
  int64_t bytes = ampc_rt_dtype_bytes(input->dtype);
  ampc_cuda_address place = ampc_rt_cuda_address(data) + (ampc_cuda_address)(element * bytes);
  int result = cuda->driver.to_host(cuda->report, place, (size_t)bytes, cuda->stream);
  if (!result)
    result = cuda->driver.synchronize(cuda->stream);
  *value = ampc_rt_read_int(cuda->report, input->dtype, 0);
  return result;
}

/* Checks labels in device memory before a kernel uses the labels as indices. */
static int checkLabels(ampc_cuda *cuda, const ampc_rt_call *call, ampc_status *status,
                       char *error) {
  const ampc_program *program = call->program;
  int result = 0;
  for (int32_t i = 0; i < program->input_count && !result && !*status; ++i) {
    const ampc_tensor *input = &program->inputs[i];
    int64_t wrong = 0, value;
    if (!ampc_rt_has_labels(input) || !isOnDevice(cuda, call->inputs[i]))
      continue;
    result = findWrongLabel(cuda, input, cuda->input_places[i], &wrong);
    if (result || !wrong)
      continue;
    int64_t element = ampc_rt_element_count(input) - wrong;
    result = readLabel(cuda, input, cuda->input_places[i], element, &value);
    if (!result)
      *status = ampc_rt_refuse_label(program, input, element, value, error);
  }
  return result;
}

static int copyOutputs(ampc_cuda *cuda, const ampc_rt_call *call) {
  const ampc_program *program = call->program;
  int result = 0;
  for (int32_t i = 0; i < program->output_count && !result; ++i) {
    const ampc_tensor *output = &program->outputs[i];
    if (isReported(program, i))
      continue;
    size_t bytes = (size_t)output->bytes;
    if (output->batched && program->batch)
      bytes = bytes / (size_t)program->batch * (size_t)call->control.valid;
    result = copyOut(cuda, call->outputs[i], ampc_rt_cuda_address(cuda->output_places[i]), bytes);
  }
  return result;
}

/* To the caller's scalars and to the host's copies of the state; returns the flag. */
static bool readReport(ampc_cuda *cuda, const ampc_rt_call *call) {
  const ampc_program *program = call->program;
  for (int32_t i = 0; i < program->output_count; ++i)
    if (isReported(program, i))
      memcpy(call->outputs[i], cuda->report + AMPC_CUDA_ALIGN * i,
             (size_t)program->outputs[i].bytes);
  for (int i = 0; i < 2; ++i) {
    const ampc_slot *slot = reportedSlot(program, cuda->state->model, i);
    if (slot)
      memcpy(ampc_rt_slot_data(cuda->state, slot),
             cuda->report + AMPC_CUDA_ALIGN * (program->output_count + i),
             (size_t)slot->tensor.bytes);
  }
  int32_t stop;
  memcpy(&stop, cuda->report + AMPC_CUDA_ALIGN * (program->output_count + 2), sizeof stop);
  return stop != 0;
}

static void placeAll(ampc_cuda *cuda, const ampc_program *program) {
  placeTensors(program->inputs, program->input_count, cuda->inputs, cuda->input_places);
  placeTensors(program->outputs, program->output_count, cuda->outputs, cuda->output_places);
  for (int32_t i = 0; i < program->output_count; ++i)
    if (isReported(program, i))
      cuda->output_places[i] = ampc_rt_cuda_pointer(reportAddress(cuda, i));
}

static ampc_status run(ampc_cuda *cuda, const ampc_rt_call *given, bool *refused, char *error) {
  const ampc_program *program = given->program;
  placeAll(cuda, program);
  ampc_rt_call call = *given;
  call.slots = ampc_rt_cuda_pointer(cuda->slots);
  call.arena = ampc_rt_cuda_pointer(cuda->arena);
  call.constants = (const void *const *)cuda->constant_addresses;
  call.control_place = ampc_rt_cuda_pointer(cuda->control);
  call.stop = ampc_rt_cuda_pointer(cuda->stop);
  call.inputs = (const void *const *)cuda->input_places;
  call.outputs = cuda->output_places;
  call.operands = cuda->places;
  call.launch = ampc_rt_cuda_launch;
  ampc_status refusal = AMPC_OK;
  int result = copyInputs(cuda, given);
  if (!result)
    result = checkLabels(cuda, given, &refusal, error);
  if (!result && refusal)
    return refusal;
  if (!result)
    result = runKernels(cuda, &call);
  if (!result)
    result = copyOutputs(cuda, given);
  bool reports = ampc_rt_is_training(program);
  if (!result && reports)
    result =
        cuda->driver.to_host(cuda->report, cuda->report_on_device,
                             AMPC_CUDA_ALIGN * (size_t)(program->output_count + 3), cuda->stream);
  if (!result)
    result = cuda->driver.synchronize(cuda->stream);
  if (!result && reports)
    *refused = readReport(cuda, given);
  return ampc_rt_cuda_done(cuda, result, program->name, error);
}

ampc_status ampc_rt_cuda_run(const ampc_rt_call *call, bool *refused, char *error) {
  ampc_cuda *cuda = ampc_rt_cuda_of(call->state);
  *refused = false;
  pthread_mutex_lock(&cuda->mutex);
  ampc_status status = ampc_rt_cuda_enter(cuda, error);
  if (!status) {
    status = run(cuda, call, refused, error);
    ampc_rt_cuda_leave(cuda);
  }
  pthread_mutex_unlock(&cuda->mutex);
  return status;
}
