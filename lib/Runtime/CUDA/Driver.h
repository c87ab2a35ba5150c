// The functions of NVIDIA's driver that the runtime calls, found at run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header declares the driver's binary interface (CUDA Driver API 12) itself, so that neither
// building nor linking a model needs CUDA.
#ifndef AMPC_LIB_RUNTIME_CUDA_DRIVER_H
#define AMPC_LIB_RUNTIME_CUDA_DRIVER_H

#include "lib/Runtime/Internal.h"

typedef uint64_t ampc_cuda_address;
typedef struct {
  uint32_t id;
  char pad[4];
  union {
    char bytes[64];
    uint32_t cluster[3];
  } value;
} ampc_cuda_attribute;
typedef struct {
  uint32_t grid[3], block[3], shared_bytes;
  void *stream;
  ampc_cuda_attribute *attributes;
  uint32_t attribute_count;
} ampc_cuda_config;

enum {
  AMPC_CUDA_OUT_OF_MEMORY = 2,
  AMPC_CUDA_UNSUPPORTED_PTX = 222,
  AMPC_CUDA_JIT_ERROR_LOG = 5,
  AMPC_CUDA_JIT_ERROR_LOG_BYTES = 6,
  AMPC_CUDA_CAPABILITY_MAJOR = 75,
  AMPC_CUDA_CAPABILITY_MINOR = 76,
  AMPC_CUDA_LAUNCH_CLUSTER = 4,
  AMPC_CUDA_MAX_DYNAMIC_SHARED_BYTES = 8,
  AMPC_CUDA_NON_BLOCKING = 1,
  AMPC_CUDA_CAPTURE_THREAD = 1,
  AMPC_CUDA_POINTER_MEMORY_TYPE = 2,
  AMPC_CUDA_MEMORY_DEVICE = 2,
  AMPC_CUDA_MAP_F16 = 6,
  AMPC_CUDA_MAP_F32 = 7,
  AMPC_CUDA_MAP_F64 = 8,
  AMPC_CUDA_MAP_BF16 = 9,
  AMPC_CUDA_MAP_LINE = 2 /* L2 promotion: TMA reads fill the L2 cache in lines of 128 bytes */
};

/* A row per function: member of the struct, symbol in libcuda, parameters. */
#define AMPC_CUDA_FUNCTIONS(F)                                                                     \
  F(init, "cuInit", (unsigned))                                                                    \
  F(error_string, "cuGetErrorString", (int, const char **))                                        \
  F(device_count, "cuDeviceGetCount", (int *))                                                     \
  F(device, "cuDeviceGet", (int *, int))                                                           \
  F(device_attribute, "cuDeviceGetAttribute", (int *, int, int))                                   \
  F(retain, "cuDevicePrimaryCtxRetain", (void **, int))                                            \
  F(release, "cuDevicePrimaryCtxRelease_v2", (int))                                                \
  F(push, "cuCtxPushCurrent_v2", (void *))                                                         \
  F(pop, "cuCtxPopCurrent_v2", (void **))                                                          \
  F(context_device, "cuCtxGetDevice", (int *))                                                     \
  F(load_module, "cuModuleLoadDataEx", (void **, const void *, unsigned, int *, void **))          \
  F(unload_module, "cuModuleUnload", (void *))                                                     \
  F(function, "cuModuleGetFunction", (void **, void *, const char *))                              \
  F(set_function, "cuFuncSetAttribute", (void *, int, int))                                        \
  F(allocate, "cuMemAlloc_v2", (ampc_cuda_address *, size_t))                                      \
  F(free, "cuMemFree_v2", (ampc_cuda_address))                                                     \
  F(allocate_host, "cuMemHostAlloc", (void **, size_t, unsigned))                                  \
  F(free_host, "cuMemFreeHost", (void *))                                                          \
  F(fill, "cuMemsetD8Async", (ampc_cuda_address, unsigned char, size_t, void *))                   \
  F(to_device, "cuMemcpyHtoDAsync_v2", (ampc_cuda_address, const void *, size_t, void *))          \
  F(to_host, "cuMemcpyDtoHAsync_v2", (void *, ampc_cuda_address, size_t, void *))                  \
  F(copy, "cuMemcpyDtoDAsync_v2", (ampc_cuda_address, ampc_cuda_address, size_t, void *))          \
  F(pointer_attribute, "cuPointerGetAttribute", (void *, int, ampc_cuda_address))                  \
  F(create_stream, "cuStreamCreate", (void **, unsigned))                                          \
  F(destroy_stream, "cuStreamDestroy_v2", (void *))                                                \
  F(stream_context, "cuStreamGetCtx", (void *, void **))                                           \
  F(synchronize, "cuStreamSynchronize", (void *))                                                  \
  F(begin_capture, "cuStreamBeginCapture_v2", (void *, int))                                       \
  F(end_capture, "cuStreamEndCapture", (void *, void **))                                          \
  F(instantiate, "cuGraphInstantiateWithFlags", (void **, void *, unsigned long long))             \
  F(launch_graph, "cuGraphLaunch", (void *, void *))                                               \
  F(destroy_graph, "cuGraphDestroy", (void *))                                                     \
  F(destroy_executable, "cuGraphExecDestroy", (void *))                                            \
  F(launch, "cuLaunchKernelEx", (const ampc_cuda_config *, void *, void **, void **))              \
  F(encode_map, "cuTensorMapEncodeTiled",                                                          \
    (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,          \
     const uint32_t *, int, int, int, int))                                                        \
  F(create_event, "cuEventCreate", (void **, unsigned))                                            \
  F(destroy_event, "cuEventDestroy_v2", (void *))                                                  \
  F(record, "cuEventRecord", (void *, void *))                                                     \
  F(wait_event, "cuEventSynchronize", (void *))                                                    \
  F(elapsed, "cuEventElapsedTime", (float *, void *, void *))

typedef struct {
  void *library;
#define AMPC_CUDA_MEMBER(name, symbol, parameters) int(*name) parameters;
  AMPC_CUDA_FUNCTIONS(AMPC_CUDA_MEMBER)
#undef AMPC_CUDA_MEMBER
} ampc_cuda_driver;

/* Opens and starts the driver; on failure nothing stays open. */
ampc_status ampc_rt_cuda_open(ampc_cuda_driver *driver, char *error);
void ampc_rt_cuda_close(ampc_cuda_driver *driver);
/* AMPC_OK, or AMPC_E_DEVICE with the driver's text for the error `result`. */
ampc_status ampc_rt_cuda_check(const ampc_cuda_driver *driver, int result, const char *what,
                               char *error);

#endif
