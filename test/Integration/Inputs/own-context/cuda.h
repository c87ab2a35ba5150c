/* Entry points of NVIDIA's driver used by the test: own declarations, since tests have no CUDA.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef TEST_OWN_CONTEXT_CUDA_H
#define TEST_OWN_CONTEXT_CUDA_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t Address;
int cuInit(unsigned flags);
int cuDeviceGet(int *device, int number);
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxGetCurrent(void **context);
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamDestroy_v2(void *stream);
int cuStreamSynchronize(void *stream);
int cuModuleLoadData(void **module, const void *image);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra);
int cuMemAlloc_v2(Address *address, size_t bytes);
int cuMemFree_v2(Address address);
int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream);
int cuMemcpyDtoH_v2(void *to, Address from, size_t bytes);

#endif
