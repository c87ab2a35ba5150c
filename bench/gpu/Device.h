// The driver for small programs that stop at the first error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef BENCH_GPU_DEVICE_H
#define BENCH_GPU_DEVICE_H

#include "lib/Runtime/CUDA/Driver.h"
#include <dlfcn.h>

extern ampc_cuda_driver driver;

/* Prints a line to standard output, which is where results go, and exits with 1. */
_Noreturn void end(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends the program with the driver's text for `result`, unless `result` is 0. */
void check(int result, const char *what);
/* Makes the primary context of device 0 current; returns 10 times the compute capability: 90. */
int openDevice(void);
ampc_cuda_address allocate(size_t bytes);
void loadModule(void **module, const void *image, const char *name);
/* bf16 in [-1, 1): zeros would run faster. */
ampc_cuda_address allocateRandom(uint64_t count);
/* Milliseconds of `run`, which launches on the default stream: the median of `repeats`, after three
   to warm up. The second-level cache is overwritten before each, as in a step, where other kernels
   run between two calls. */
float timeMedian(void (*run)(const void *context), const void *context, int repeats);
/* Content of a file with a zero byte behind; null if the file cannot be read. */
void *readWhole(const char *path, size_t *bytes);
#endif
