// Stands in for libcuda.so.1 at link time; never reports a device at run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
enum { noDevice = 100 }; // CUDA_ERROR_NO_DEVICE

#define STUB(name)                                                                                 \
  int name(void) { return noDevice; }
STUB(cuInit)
STUB(cuDeviceGet)
STUB(cuDevicePrimaryCtxRetain)
STUB(cuCtxSetCurrent)
STUB(cuModuleLoad)
STUB(cuModuleGetFunction)
STUB(cuMemAlloc_v2)
STUB(cuMemcpyHtoD_v2)
STUB(cuMemcpyDtoH_v2)
STUB(cuLaunchKernel)
