// The runtime's own declarations of the driver's interface, beside NVIDIA's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "lib/Runtime/CUDA/Driver.h"

#define SAME(ours, theirs) _Static_assert((long)(ours) == (long)(theirs), #ours)
#define SAME_FIELD(ours, field, theirs, other)                                                     \
  SAME(offsetof(ours, field), offsetof(theirs, other));                                            \
  SAME(sizeof(((ours *)0)->field), sizeof(((theirs *)0)->other))

SAME(sizeof(ampc_cuda_address), sizeof(CUdeviceptr));
SAME(sizeof(ampc_cuda_config), sizeof(CUlaunchConfig));
SAME(offsetof(ampc_cuda_config, grid), offsetof(CUlaunchConfig, gridDimX));
SAME(offsetof(ampc_cuda_config, block), offsetof(CUlaunchConfig, blockDimX));
SAME_FIELD(ampc_cuda_config, shared_bytes, CUlaunchConfig, sharedMemBytes);
SAME_FIELD(ampc_cuda_config, stream, CUlaunchConfig, hStream);
SAME_FIELD(ampc_cuda_config, attributes, CUlaunchConfig, attrs);
SAME_FIELD(ampc_cuda_config, attribute_count, CUlaunchConfig, numAttrs);
SAME(sizeof(ampc_cuda_attribute), sizeof(CUlaunchAttribute));
SAME_FIELD(ampc_cuda_attribute, id, CUlaunchAttribute, id);
SAME_FIELD(ampc_cuda_attribute, value, CUlaunchAttribute, value);
SAME_FIELD(ampc_cuda_attribute, value.cluster, CUlaunchAttribute, value.clusterDim);
SAME(AMPC_CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY);
SAME(AMPC_CUDA_UNSUPPORTED_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
SAME(AMPC_CUDA_JIT_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER);
SAME(AMPC_CUDA_JIT_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
SAME(AMPC_CUDA_CAPABILITY_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(AMPC_CUDA_CAPABILITY_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(AMPC_CUDA_LAUNCH_CLUSTER, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
SAME(AMPC_CUDA_MAX_DYNAMIC_SHARED_BYTES, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
SAME(AMPC_CUDA_NON_BLOCKING, CU_STREAM_NON_BLOCKING);
SAME(AMPC_CUDA_CAPTURE_THREAD, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME(AMPC_CUDA_POINTER_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
SAME(AMPC_CUDA_MEMORY_DEVICE, CU_MEMORYTYPE_DEVICE);

/* Functions that a program with cuda.h calls under the name without a version. */
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
static const char *const current[] = {TEXT(cuDevicePrimaryCtxRelease),
                                      TEXT(cuCtxPushCurrent),
                                      TEXT(cuCtxPopCurrent),
                                      TEXT(cuMemAlloc),
                                      TEXT(cuMemFree),
                                      TEXT(cuMemcpyHtoDAsync),
                                      TEXT(cuMemcpyDtoHAsync),
                                      TEXT(cuMemcpyDtoDAsync),
                                      TEXT(cuStreamDestroy),
                                      TEXT(cuStreamBeginCapture),
                                      TEXT(cuEventDestroy)};

int main(void) {
  static const char *const symbols[] = {
#define SYMBOL(name, symbol, parameters) symbol,
      AMPC_CUDA_FUNCTIONS(SYMBOL)};
  size_t count = sizeof symbols / sizeof *symbols, found = 0;
  for (size_t c = 0; c < sizeof current / sizeof *current; ++c)
    for (size_t s = 0; s < count; ++s)
      found += !strcmp(symbols[s], current[c]);
  printf("%zu functions, %zu of %zu in their current version\n", count, found,
         sizeof current / sizeof *current);
  return found != sizeof current / sizeof *current;
}
