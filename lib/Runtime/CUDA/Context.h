// What a state on a GPU keeps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_LIB_RUNTIME_CUDA_CONTEXT_H
#define AMPC_LIB_RUNTIME_CUDA_CONTEXT_H

#include "lib/Runtime/CUDA/Driver.h"
#include "lib/Runtime/Device.h"

/* Where buffers start, as the code of kernels takes for granted: also inputs and outputs. */
enum { AMPC_CUDA_ALIGN = 256 };
/* Kernels that are timed before the host waits for them. */
enum { AMPC_CUDA_SPANS = 256 };

/* Functions of the runtime's own module. */
enum { AMPC_CUDA_GUARD, AMPC_CUDA_ADVANCE, AMPC_CUDA_LABELS, AMPC_CUDA_HELPERS };

typedef struct {
  ampc_cuda_driver driver;
  const ampc_state *state;
  int32_t number; /* of the device */
  int device;
  void *context, *stream, *module, *helpers;
  bool own_stream, primary; /* whether the context is the device's primary one */
  bool lost;                /* a launch failed: nothing on the device can be relied on */
  void *helper[AMPC_CUDA_HELPERS];
  /* One block of the device's memory, and the places in it. */
  ampc_cuda_address memory, slots, arena, constants, inputs, outputs, control, stop,
      report_on_device;
  unsigned char *report;     /* of the host, for what the device reports */
  pthread_mutex_t mutex;     /* calls of programs that do not train may come from several threads */
  void **functions;          /* per kernel and launch */
  int32_t *first_function;   /* per kernel */
  void **graphs;             /* executable, per program; null before its first run */
  void **constant_addresses; /* on the device */
  void **parameters, **places; /* of one launch */
  void **input_places, **output_places;
  /* Made when they are first needed: the beginnings and ends of timed kernels, in turns. */
  void *events[2 * AMPC_CUDA_SPANS];
  const char *span_names[AMPC_CUDA_SPANS];
  int32_t span_count; /* measured and not yet reported */
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

/* Between these two the device is that of the calling thread. `enter` says if it was lost. */
ampc_status ampc_rt_cuda_enter(ampc_cuda *cuda, char *error);
void ampc_rt_cuda_leave(ampc_cuda *cuda);
/* AMPC_OK, or what the driver says; the device is lost then. */
ampc_status ampc_rt_cuda_done(ampc_cuda *cuda, int result, const char *what, char *error);

/* The code: an image that the device takes, and the functions of all launches. */
ampc_status ampc_rt_cuda_load(ampc_cuda *cuda, int32_t capability, char *error);

/* Around the launches of a kernel, for hooks that ask for its time. */
int ampc_rt_cuda_begin_span(ampc_cuda *cuda, const ampc_hooks *hooks);
int ampc_rt_cuda_end_span(ampc_cuda *cuda, const char *name);
/* Waits, and reports all spans. */
int ampc_rt_cuda_flush_spans(ampc_cuda *cuda, const ampc_hooks *hooks);
void ampc_rt_cuda_destroy_spans(ampc_cuda *cuda);

bool ampc_rt_cuda_holds(const ampc_state *state, const void *data);
/* Launches a kernel whose operands, addresses on the device, are in the call. */
int ampc_rt_cuda_launch(const ampc_rt_call *call, const ampc_entry *entry);
/* One run of a program; see ampc_rt_device. */
ampc_status ampc_rt_cuda_run(const ampc_rt_call *call, bool *refused, char *error);

#endif
