// A C program that opens the driver library at run time and uses the library like libcuda.so.1.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: ptxsim-driver-test LIBRARY PTX-DIRECTORY
#include "lib/PTXSim/Driver/DriverTypes.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *library;
static int failures;

#define ENTRY(name, ...) CUresult (*name)(__VA_ARGS__) = (CUresult (*)(__VA_ARGS__))entry(#name)
#define CHECK(call, want)                                                                          \
  do {                                                                                             \
    CUresult got_ = (call);                                                                        \
    if (got_ != (want)) {                                                                          \
      printf("line %d: %s gave %d, expected %d: %s\n", __LINE__, #call, got_, (want),              \
             lastError());                                                                         \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)
#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      printf("line %d: expected %s\n", __LINE__, #condition);                                      \
      failures++;                                                                                  \
    }                                                                                              \
  } while (0)

static void *entry(const char *name) {
  void *p = dlsym(library, name);
  if (!p) {
    printf("no entry point %s\n", name);
    exit(1);
  }
  return p;
}

static char *read_text(const char *directory, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  FILE *f = fopen(path, "rb");
  if (!f) {
    printf("cannot read %s\n", path);
    exit(1);
  }
  fseek(f, 0, SEEK_END);
  long n = ftell(f);
  rewind(f);
  char *text = calloc(1, (size_t)n + 1);
  if (fread(text, 1, (size_t)n, f) != (size_t)n)
    exit(1);
  fclose(f);
  return text;
}

/// Fatbinary with a PTX entry; `compressed` only sets the field of that name.
static unsigned char *make_fatbinary(const char *ptx, int compressed) {
  uint64_t payload = (strlen(ptx) + 8) & ~(uint64_t)7, total = 80 + payload,
           unpacked = compressed ? 999 : 0;
  unsigned char *p = calloc(1, 16 + total);
  uint32_t magic = 0xba55ed50, header = 80;
  uint16_t version = 1, size = 16, kind = 1, entry_version = 0x101;
  memcpy(p, &magic, 4), memcpy(p + 4, &version, 2), memcpy(p + 6, &size, 2),
      memcpy(p + 8, &total, 8);
  memcpy(p + 16, &kind, 2), memcpy(p + 18, &entry_version, 2), memcpy(p + 20, &header, 4);
  memcpy(p + 24, &payload, 8), memcpy(p + 16 + 56, &unpacked, 8), memcpy(p + 96, ptx, strlen(ptx));
  return p;
}

int main(int argc, char **argv) {
  if (argc != 3 || !(library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL))) {
    printf("usage: %s LIBRARY PTX-DIRECTORY (%s)\n", argv[0], dlerror());
    return 1;
  }
  const char *(*lastError)(void) = (const char *(*)(void))entry("ptxsimLastError");
  ENTRY(cuInit, unsigned);
  ENTRY(cuDeviceGet, CUdevice *, int);
  ENTRY(cuDeviceGetCount, int *);
  ENTRY(cuDeviceGetAttribute, int *, int, CUdevice);
  ENTRY(cuDevicePrimaryCtxRetain, CUcontext *, CUdevice);
  ENTRY(cuCtxSetCurrent, CUcontext);
  ENTRY(cuMemAlloc_v2, CUdeviceptr *, size_t);
  ENTRY(cuMemFree_v2, CUdeviceptr);
  ENTRY(cuMemcpyHtoD_v2, CUdeviceptr, const void *, size_t);
  ENTRY(cuMemcpyDtoH_v2, void *, CUdeviceptr, size_t);
  ENTRY(cuMemcpyHtoDAsync_v2, CUdeviceptr, const void *, size_t, CUstream);
  ENTRY(cuMemsetD32_v2, CUdeviceptr, unsigned, size_t);
  ENTRY(cuModuleLoadData, CUmodule *, const void *);
  ENTRY(cuModuleGetFunction, CUfunction *, CUmodule, const char *);
  ENTRY(cuModuleGetGlobal_v2, CUdeviceptr *, size_t *, CUmodule, const char *);
  ENTRY(cuModuleUnload, CUmodule);
  ENTRY(cuLibraryLoadData, CUlibrary *, const void *, int *, void **, unsigned, int *, void **,
        unsigned);
  ENTRY(cuLibraryGetKernel, CUkernel *, CUlibrary, const char *);
  ENTRY(cuKernelGetFunction, CUfunction *, CUkernel);
  ENTRY(cuLaunchKernel, CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
        unsigned, CUstream, void **, void **);
  ENTRY(cuLaunchKernelEx, const CUlaunchConfig *, CUfunction, void **, void **);
  ENTRY(cuTensorMapEncodeTiled, CUtensorMap *, int, uint32_t, void *, const uint64_t *,
        const uint64_t *, const uint32_t *, const uint32_t *, int, int, int, int);
  ENTRY(cuStreamCreate, CUstream *, unsigned);
  ENTRY(cuStreamSynchronize, CUstream);
  ENTRY(cuStreamWaitEvent, CUstream, CUevent, unsigned);
  ENTRY(cuEventCreate, CUevent *, unsigned);
  ENTRY(cuEventRecord, CUevent, CUstream);
  ENTRY(cuEventElapsedTime, float *, CUevent, CUevent);
  ENTRY(cuStreamBeginCapture_v2, CUstream, int);
  ENTRY(cuStreamEndCapture, CUstream, CUgraph *);
  ENTRY(cuGraphInstantiateWithFlags, CUgraphExec *, CUgraph, unsigned long long);
  ENTRY(cuGraphLaunch, CUgraphExec, CUstream);
  ENTRY(cuGetProcAddress_v2, const char *, void **, int, unsigned long long, int *);

  int n = 0, value = 0;
  CHECK(cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
  CHECK(cuInit(0), CUDA_SUCCESS);
  CHECK(cuDeviceGetCount(&n), CUDA_SUCCESS);
  EXPECT(n == 1);
  CUdevice dev;
  CUcontext context;
  CUdeviceptr a, b, c;
  CHECK(cuDeviceGet(&dev, 3), CUDA_ERROR_INVALID_DEVICE);
  CHECK(cuDeviceGet(&dev, 0), CUDA_SUCCESS);
  CHECK(cuDeviceGetAttribute(&value, 75, dev), CUDA_SUCCESS);
  EXPECT(value == 9);
  CHECK(cuMemAlloc_v2(&a, 400), CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuDevicePrimaryCtxRetain(&context, dev), CUDA_SUCCESS);
  CHECK(cuCtxSetCurrent(context), CUDA_SUCCESS);
  CHECK(cuMemAlloc_v2(&a, 400), CUDA_SUCCESS);
  CHECK(cuMemAlloc_v2(&b, 400), CUDA_SUCCESS);
  CHECK(cuMemAlloc_v2(&c, 400), CUDA_SUCCESS);

  // Modules: text, fatbinary, compressed fatbinary, garbage.
  char *basic = read_text(argv[2], "basic.nvcc.ptx");
  CUmodule module, other;
  CUfunction vecadd;
  CHECK(cuModuleLoadData(&module, basic), CUDA_SUCCESS);
  CHECK(cuModuleLoadData(&other, make_fatbinary(basic, 0)), CUDA_SUCCESS);
  CHECK(cuModuleUnload(other), CUDA_SUCCESS);
  CHECK(cuModuleLoadData(&other, make_fatbinary(basic, 1)), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT(strstr(lastError(), "-compress=false"));
  CHECK(cuModuleLoadData(&other, "this is no PTX"), CUDA_ERROR_INVALID_PTX);
  CHECK(cuModuleGetFunction(&vecadd, module, "nothing"), CUDA_ERROR_NOT_FOUND);
  CHECK(cuModuleGetFunction(&vecadd, module, "vecadd"), CUDA_SUCCESS);
  CUdeviceptr finished;
  size_t bytes;
  CHECK(cuModuleGetGlobal_v2(&finished, &bytes, module, "finished"), CUDA_SUCCESS);
  EXPECT(bytes == 4);

  float x[100], y[100], z[100];
  for (int i = 0; i < 100; i++)
    x[i] = (float)i, y[i] = 0.5f;
  CHECK(cuMemcpyHtoD_v2(a, x, 400), CUDA_SUCCESS);
  CHECK(cuMemcpyHtoD_v2(b, y, 400), CUDA_SUCCESS);
  int count = 100;
  void *arguments[] = {&a, &b, &c, &count};
  CHECK(cuLaunchKernel(vecadd, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL), CUDA_SUCCESS);
  CHECK(cuMemcpyDtoH_v2(z, c, 400), CUDA_SUCCESS);
  for (int i = 0; i < 100; i++)
    EXPECT(z[i] == x[i] + y[i]);

  // Capture on two streams joined by events; replay uses the arguments of the capture.
  CUstream s, t;
  CUevent fork, join;
  CUgraph graph;
  CUgraphExec exec;
  CHECK(cuStreamCreate(&s, 1), CUDA_SUCCESS);
  CHECK(cuStreamCreate(&t, 1), CUDA_SUCCESS);
  CHECK(cuEventCreate(&fork, 0), CUDA_SUCCESS);
  CHECK(cuEventCreate(&join, 0), CUDA_SUCCESS);
  CHECK(cuStreamBeginCapture_v2(s, 0), CUDA_SUCCESS);
  CHECK(cuMemcpyHtoDAsync_v2(a, x, 400, s), CUDA_SUCCESS);
  CHECK(cuEventRecord(fork, s), CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(t, fork, 0), CUDA_SUCCESS);
  CHECK(cuLaunchKernel(vecadd, 1, 1, 1, 64, 1, 1, 0, t, arguments, NULL), CUDA_SUCCESS);
  CHECK(cuEventRecord(join, t), CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(s, join, 0), CUDA_SUCCESS);
  CHECK(cuStreamEndCapture(s, &graph), CUDA_SUCCESS);
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  CHECK(cuMemsetD32_v2(c, 0, 100), CUDA_SUCCESS);
  count = 7;
  for (int step = 0; step < 3; step++) {
    x[5] = (float)step;
    CHECK(cuGraphLaunch(exec, s), CUDA_SUCCESS);
    CHECK(cuStreamSynchronize(s), CUDA_SUCCESS);
    CHECK(cuMemcpyDtoH_v2(z, c, 400), CUDA_SUCCESS);
    EXPECT(z[5] == (float)step + 0.5f && z[99] == 99.5f);
  }
  float elapsed;
  CHECK(cuEventElapsedTime(&elapsed, fork, join), CUDA_ERROR_CAPTURED_EVENT);
  CHECK(cuEventRecord(fork, s), CUDA_SUCCESS);
  CHECK(cuEventRecord(join, s), CUDA_SUCCESS);
  CHECK(cuEventElapsedTime(&elapsed, fork, join), CUDA_SUCCESS);

  // Cluster launch with a tensor map, through the library interface and launch attributes.
  CUlibrary lib;
  CUkernel kernel;
  CUfunction multicast;
  CUdeviceptr in, out;
  CHECK(cuLibraryLoadData(&lib, read_text(argv[2], "cluster.clang.ptx"), NULL, NULL, 0, NULL, NULL,
                          0),
        CUDA_SUCCESS);
  CHECK(cuLibraryGetKernel(&kernel, lib, "cluster_multicast"), CUDA_SUCCESS);
  CHECK(cuKernelGetFunction(&multicast, kernel), CUDA_SUCCESS);
  CHECK(cuMemAlloc_v2(&in, 16 * 32 * 4), CUDA_SUCCESS);
  CHECK(cuMemAlloc_v2(&out, 2 * 32 * 4), CUDA_SUCCESS);
  float tile[512], result[64];
  for (int i = 0; i < 512; i++)
    tile[i] = (float)(i % 7);
  CHECK(cuMemcpyHtoD_v2(in, tile, sizeof tile), CUDA_SUCCESS);
  CUtensorMap map;
  uint64_t size[2] = {32, 16}, stride[1] = {128};
  uint32_t box[2] = {32, 8}, one[2] = {1, 1};
  CHECK(
      cuTensorMapEncodeTiled(&map, 7, 2, (void *)(uintptr_t)in, size, stride, box, one, 0, 9, 0, 0),
      CUDA_ERROR_INVALID_VALUE);
  CHECK(
      cuTensorMapEncodeTiled(&map, 7, 2, (void *)(uintptr_t)in, size, stride, box, one, 0, 0, 0, 0),
      CUDA_SUCCESS);
  CUlaunchAttribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = 2, attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  CUlaunchConfig config = {2, 1, 1, 64, 1, 1, 0, s, &attribute, 1};
  void *cluster_arguments[] = {&map, &out};
  CHECK(cuLaunchKernelEx(&config, multicast, cluster_arguments, NULL), CUDA_SUCCESS);
  CHECK(cuMemcpyDtoH_v2(result, out, sizeof result), CUDA_SUCCESS);
  for (int i = 0; i < 32; i++) {
    float sum = 0, squares = 0;
    for (int r = 0; r < 16; r++)
      sum += tile[r * 32 + i], squares += tile[r * 32 + i] * tile[r * 32 + i];
    EXPECT(result[i] == sum - 0.5f * squares && result[32 + i] == squares - 0.5f * sum);
  }

  void *found = NULL;
  CHECK(cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, NULL), CUDA_SUCCESS);
  EXPECT(found == (void *)cuMemAlloc_v2);
  CHECK(cuGetProcAddress_v2("cuNothing", &found, 12000, 0, NULL), CUDA_ERROR_NOT_FOUND);
  CHECK(cuMemFree_v2(a), CUDA_SUCCESS);
  CHECK(cuMemFree_v2(a), CUDA_ERROR_INVALID_VALUE);

  // A kernel's error fails all calls after the launch, with the kernel's message.
  CHECK(cuMemAlloc_v2(&a, 396), CUDA_SUCCESS);
  CHECK(cuMemcpyHtoD_v2(a, x, 396), CUDA_SUCCESS);
  count = 100;
  CHECK(cuLaunchKernel(vecadd, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL), CUDA_SUCCESS);
  CHECK(cuMemAlloc_v2(&c, 400), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT(strstr(lastError(), "out of bounds"));
  CHECK(cuStreamSynchronize(s), CUDA_ERROR_ILLEGAL_ADDRESS);
  printf(failures ? "%d checks failed\n" : "all checks passed\n", failures);
  return failures != 0;
}
