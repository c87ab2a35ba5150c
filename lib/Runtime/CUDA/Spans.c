// Times of kernels, measured by events of the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels are enqueued in the order of a step, each between two events; the host waits only when
// all events are in use. A graph has no such events, so a step with timed kernels launches every
// kernel singly.
#include "lib/Runtime/CUDA/Context.h"

static int eventOf(ampc_cuda *cuda, int32_t number, void **event) {
  int result = cuda->events[number] ? 0 : cuda->driver.create_event(&cuda->events[number], 0);
  *event = cuda->events[number];
  return result;
}

int ampc_rt_cuda_begin_span(ampc_cuda *cuda, const ampc_hooks *hooks) {
  void *event = NULL;
  int result = cuda->span_count == AMPC_CUDA_SPANS ? ampc_rt_cuda_flush_spans(cuda, hooks) : 0;
  if (!result)
    result = eventOf(cuda, 2 * cuda->span_count, &event);
  return result ? result : cuda->driver.record(event, cuda->stream);
}

int ampc_rt_cuda_end_span(ampc_cuda *cuda, const char *name) {
  void *event = NULL;
  int result = eventOf(cuda, 2 * cuda->span_count + 1, &event);
  if (!result)
    result = cuda->driver.record(event, cuda->stream);
  cuda->span_names[cuda->span_count++] = name;
  return result;
}

/* The device's clock has no place on the host's: the last event is taken to be now. */
static int report(ampc_cuda *cuda, const ampc_hooks *hooks, int32_t span, uint64_t now) {
  void *last = cuda->events[2 * cuda->span_count - 1];
  float before[2];
  for (int i = 0; i < 2; ++i) {
    int result = cuda->driver.elapsed(&before[i], cuda->events[2 * span + i], last);
    if (result)
      return result;
  }
  hooks->on_span(hooks->context, cuda->span_names[span], now - (uint64_t)(before[0] * 1e6f),
                 now - (uint64_t)(before[1] * 1e6f));
  return 0;
}

int ampc_rt_cuda_flush_spans(ampc_cuda *cuda, const ampc_hooks *hooks) {
  int result = 0;
  if (cuda->span_count)
    result = cuda->driver.wait_event(cuda->events[2 * cuda->span_count - 1]);
  uint64_t now = ampc_rt_now_ns();
  for (int32_t span = 0; span < cuda->span_count && !result; ++span)
    result = report(cuda, hooks, span, now);
  cuda->span_count = 0;
  return result;
}

void ampc_rt_cuda_destroy_spans(ampc_cuda *cuda) {
  for (int32_t i = 0; i < 2 * AMPC_CUDA_SPANS; ++i)
    if (cuda->events[i])
      cuda->driver.destroy_event(cuda->events[i]);
}
