// A C program linked with libcuda.so.1 in the ordinary way; LD_LIBRARY_PATH decides whose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: ptxsim-driver-linked-test basic.ptx
#include "lib/PTXSim/Driver/DriverTypes.h"
#include <stdio.h>
#include <stdlib.h>

CUresult cuInit(unsigned flags);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuModuleLoad(CUmodule *module, const char *path);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes);
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream,
                        void **parameters, void **extra);

static void check(CUresult code, const char *what) {
  if (code == CUDA_SUCCESS)
    return;
  printf("%s gave %d\n", what, (int)code);
  exit(1);
}
#define CHECK(call) check(call, #call)

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  if (cuModuleLoad(&module, "no such file") != CUDA_ERROR_FILE_NOT_FOUND)
    return 1;
  CHECK(cuModuleLoad(&module, argv[1]));
  CHECK(cuModuleGetFunction(&function, module, "vecadd"));
  enum { count = 100 };
  float x[count], y[count], z[count];
  for (int i = 0; i < count; i++)
    x[i] = (float)i, y[i] = 0.5f;
  CUdeviceptr dx, dy, dz;
  CHECK(cuMemAlloc_v2(&dx, sizeof x));
  CHECK(cuMemAlloc_v2(&dy, sizeof y));
  CHECK(cuMemAlloc_v2(&dz, sizeof z));
  CHECK(cuMemcpyHtoD_v2(dx, x, sizeof x));
  CHECK(cuMemcpyHtoD_v2(dy, y, sizeof y));
  int n = count;
  void *parameters[] = {&dx, &dy, &dz, &n};
  CHECK(cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL));
  CHECK(cuMemcpyDtoH_v2(z, dz, sizeof z));
  for (int i = 0; i < count; i++)
    if (z[i] != x[i] + 0.5f) {
      printf("element %d is %g, expected %g\n", i, z[i], x[i] + 0.5f);
      return 1;
    }
  return 0;
}
