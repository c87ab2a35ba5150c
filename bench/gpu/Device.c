// The driver for small programs that stop at the first error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/gpu/Device.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ampc_cuda_driver driver;

void end(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n");
  exit(1);
}

void check(int result, const char *what) {
  const char *text = NULL;
  if (result && (driver.error_string(result, &text) || !text))
    text = "unknown error";
  if (result)
    end("failed: %s: %s (error %d)", what, text, result);
}

int openDevice(void) {
  char error[AMPC_ERROR_BYTES];
  if (ampc_rt_cuda_open(&driver, error))
    end("failed: %s", error);
  int device, major, minor;
  void *context;
  check(driver.device(&device, 0), "device");
  check(driver.device_attribute(&major, AMPC_CUDA_CAPABILITY_MAJOR, device), "capability");
  check(driver.device_attribute(&minor, AMPC_CUDA_CAPABILITY_MINOR, device), "capability");
  check(driver.retain(&context, device), "context");
  check(driver.push(context), "context");
  return 10 * major + minor;
}

ampc_cuda_address allocate(size_t bytes) {
  ampc_cuda_address place = 0;
  check(driver.allocate(&place, bytes), "memory");
  return place;
}

void loadModule(void **module, const void *image, const char *name) {
  static char log[4096];
  int options[] = {AMPC_CUDA_JIT_ERROR_LOG, AMPC_CUDA_JIT_ERROR_LOG_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  int result = driver.load_module(module, image, 2, options, values);
  if (result)
    end("failed: %s does not load (error %d): %s", name, result, log);
}

void *readWhole(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  char *data = NULL;
  if (file && !fseek(file, 0, SEEK_END)) {
    long size = ftell(file);
    rewind(file);
    data = size < 0 ? NULL : malloc((size_t)size + 1);
    if (data && fread(data, 1, (size_t)size, file) != (size_t)size) {
      free(data);
      data = NULL;
    }
    if (data) {
      data[size] = 0;
      *bytes = (size_t)size;
    }
  }
  if (file)
    fclose(file);
  return data;
}

ampc_cuda_address allocateRandom(uint64_t count) {
  ampc_cuda_address place = allocate(2 * count);
  uint16_t *data = malloc(2 * count);
  uint64_t seed = 1;
  for (uint64_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    float x = (float)(seed >> 40) / (1 << 23) - 1.0f;
    memcpy(&data[i], (char *)&x + 2, 2);
  }
  check(driver.to_device(place, data, 2 * count, NULL), "copy");
  check(driver.synchronize(NULL), "copy");
  free(data);
  return place;
}

static int byValue(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

float timeMedian(void (*run)(const void *context), const void *context, int repeats) {
  enum { CACHE_BYTES = 38 }; /* CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE */
  int device, bytes;
  void *events[2];
  check(driver.context_device(&device), "device");
  check(driver.device_attribute(&bytes, CACHE_BYTES, device), "size of the cache");
  size_t room = 2 * (size_t)bytes; /* twice the cache: the replacement policy is not documented */
  ampc_cuda_address other = allocate(room);
  float *times = malloc(sizeof *times * (size_t)repeats);
  for (int i = 0; i < 2; ++i)
    check(driver.create_event(&events[i], 0), "event");
  for (int i = -3; i < repeats; ++i) {
    float milliseconds;
    check(driver.fill(other, (unsigned char)i, room, NULL), "cache");
    check(driver.record(events[0], NULL), "event");
    run(context);
    check(driver.record(events[1], NULL), "event");
    check(driver.wait_event(events[1]), "run");
    check(driver.elapsed(&milliseconds, events[0], events[1]), "time");
    if (i >= 0)
      times[i] = milliseconds;
  }
  qsort(times, (size_t)repeats, sizeof *times, byValue);
  float median = times[repeats / 2];
  free(times);
  check(driver.free(other), "memory");
  return median;
}
