// State on a GPU: context, stream, device memory, functions and graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_CUDA_CONTEXT_H
#define AMPC_LIB_RUNTIME_CUDA_CONTEXT_H

#include "lib/Runtime/CUDA/Driver.h"
#include "lib/Runtime/Device.h"

/* Alignment of buffers in bytes, inputs and outputs included; kernels rely on this alignment. */
enum { AMPC_CUDA_ALIGN = 256 };
/* Capacity of the span buffer: timed kernels in flight before the host waits for the events. */
enum { AMPC_CUDA_SPANS = 256 };

/* Functions of the runtime's own module. */
enum { AMPC_CUDA_GUARD, AMPC_CUDA_ADVANCE, AMPC_CUDA_LABELS, AMPC_CUDA_HELPERS };

typedef struct {
  ampc_cuda_driver driver;
  const ampc_state *state;
  int32_t number; /* ordinal of the device */
  int device;
  void *context, *stream, *module, *helpers;
  bool own_stream, primary; /* whether the context is the primary context */
  bool lost;                /* a launch failed: the contents of the device's memory are unknown */
  void *helper[AMPC_CUDA_HELPERS];
  /* A single allocation in device memory, and the addresses of the buffers inside. */
  ampc_cuda_address memory, slots, arena, constants, inputs, outputs, control, stop,
      report_on_device;
  unsigned char *report;     /* host memory that receives the device's report */
  pthread_mutex_t mutex;     /* calls of programs that do not train may come from several threads */
  void **functions;          /* per kernel and launch */
  int32_t *first_function;   /* per kernel */
  void **graphs;             /* executable, per program; null before its first run */
  void **constant_addresses; /* on the device */
  void **parameters, **places; /* arguments of a launch */
  void **input_places, **output_places;
  /* Events at the begin and end of timed kernels, created at first use: [begin 0, end 0, ...]. */
  void *events[2 * AMPC_CUDA_SPANS];
  const char *span_names[AMPC_CUDA_SPANS];
  int32_t span_count; /* spans measured and not yet reported */
} ampc_cuda;

static inline ampc_cuda *ampc_rt_cuda_of(const ampc_state *state) {
  return (ampc_cuda *)(uintptr_t)ampc_rt_at(state, state->layout.device);
}
static inline size_t ampc_rt_cuda_align(size_t bytes) {
  return (bytes + AMPC_CUDA_ALIGN - 1) / AMPC_CUDA_ALIGN * AMPC_CUDA_ALIGN;
}
static inline void *ampc_rt_cuda_pointer(ampc_cuda_address address) {
  return (void *)(uintptr_t)address;
}
static inline ampc_cuda_address ampc_rt_cuda_address(const void *pointer) {
  return (ampc_cuda_address)(uintptr_t)pointer;
}

/* Between `enter` and `leave` the device's context is current in the calling thread. `enter` fails
   if the device was lost. */
ampc_status ampc_rt_cuda_enter(ampc_cuda *cuda, char *error);
void ampc_rt_cuda_leave(ampc_cuda *cuda);
/* AMPC_OK, or AMPC_E_DEVICE with the driver's text; an error marks the device as lost. */
ampc_status ampc_rt_cuda_done(ampc_cuda *cuda, int result, const char *what, char *error);

/* The code: an image that the device takes, and the functions of all launches. */
ampc_status ampc_rt_cuda_load(ampc_cuda *cuda, int32_t capability, char *error);

/* Begin and end of the launches of a timed kernel, for hooks that take times. */
int ampc_rt_cuda_begin_span(ampc_cuda *cuda, const ampc_hooks *hooks);
int ampc_rt_cuda_end_span(ampc_cuda *cuda, const char *name);
/* Waits for the stream and reports all spans to the hooks. */
int ampc_rt_cuda_flush_spans(ampc_cuda *cuda, const ampc_hooks *hooks);
void ampc_rt_cuda_destroy_spans(ampc_cuda *cuda);

bool ampc_rt_cuda_holds(const ampc_state *state, const void *data);
/* Launches a kernel whose operands, addresses on the device, are in the call. */
int ampc_rt_cuda_launch(const ampc_rt_call *call, const ampc_entry *entry);
/* Runs a program; see ampc_rt_device. */
ampc_status ampc_rt_cuda_run(const ampc_rt_call *call, bool *refused, char *error);

#endif
