// Memory of the driver library: kinds, limits, marks, leaks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/driver-cases.h"

void caseMemory(void) {
  begin();
  CUfunction add = kernelNamed("add");
  // Kernels reach pinned, registered and managed memory at the host's address.
  unsigned *pinned, registered[8] = {10}, kind = 0;
  CUdeviceptr managed, device, start = 0;
  OK(cuMemHostAlloc((void **)&pinned, 64, 0));
  OK(cuMemAllocManaged(&managed, 64, 1));
  OK(cuMemAlloc_v2(&device, 64));
  *pinned = 1, *(unsigned *)managed = 2;
  OK(launchOne(add, NULL, (CUdeviceptr)pinned, 5));
  OK(launchOne(add, NULL, managed, 5));
  EXPECT(*pinned == 6 && *(unsigned *)managed == 7);
  OK(cuMemHostRegister_v2(registered, sizeof registered, 0));
  CHECK(cuMemHostRegister_v2(registered, 4, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  OK(launchOne(add, NULL, (CUdeviceptr)registered, 5));
  EXPECT(registered[0] == 15);
  OK(cuMemHostUnregister(registered));
  CHECK(cuMemHostUnregister(registered), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  // Pointers.
  OK(cuPointerGetAttribute(&kind, 2, device + 60));
  EXPECT(kind == CU_MEMORYTYPE_DEVICE);
  OK(cuPointerGetAttribute(&start, 11, device + 60));
  EXPECT(start == device);
  OK(cuPointerGetAttribute(&kind, 2, (CUdeviceptr)pinned));
  EXPECT(kind == CU_MEMORYTYPE_HOST);
  CHECK(cuPointerGetAttribute(&kind, 2, device + 64), CUDA_ERROR_INVALID_VALUE);
  CHECK(cuPointerGetAttribute(&kind, 777, device), CUDA_ERROR_INVALID_VALUE);
  int attributes[] = {2, 9}, ordinal = 5;
  void *data[] = {&kind, &ordinal};
  OK(cuPointerGetAttributes(2, attributes, data, (CUdeviceptr)&ordinal));
  EXPECT(kind == 0 && ordinal == -2);
  // A column of two words out of rows of four.
  unsigned rows[8] = {0, 1, 2, 3, 4, 5, 6, 7}, column[4] = {0};
  CUDA_MEMCPY2D copy;
  memset(&copy, 0, sizeof copy);
  copy.src.memoryType = CU_MEMORYTYPE_HOST, copy.src.host = rows, copy.src.pitch = 16;
  copy.src.xInBytes = 4;
  copy.dst.memoryType = CU_MEMORYTYPE_DEVICE, copy.dst.device = device, copy.dst.pitch = 8;
  copy.widthInBytes = 8, copy.height = 2;
  OK(cuMemcpy2D_v2(&copy));
  OK(cuMemcpyDtoH_v2(column, device, 16));
  EXPECT(column[0] == 1 && column[1] == 2 && column[2] == 5 && column[3] == 6);
  CHECK(cuMemcpyHtoD_v2(device, rows, 65), CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree_v2((CUdeviceptr)pinned), CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree_v2(device + 4), CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAlloc_v2(&device, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFreeHost(pinned));
  OK(cuMemFree_v2(managed));
  OK(cuMemFree_v2(0));
}

/// PTXSIM_MEMORY=1000000
void caseMemoryLimit(void) {
  begin();
  CUdeviceptr a, b;
  size_t free_, total;
  OK(cuDeviceTotalMem_v2(&total, 0));
  EXPECT(total == 1000000);
  OK(cuMemAlloc_v2(&a, 600000));
  CHECK(cuMemAlloc_v2(&b, 600000), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemGetInfo_v2(&free_, &total));
  EXPECT(free_ == 400000 && total == 1000000);
  OK(cuMemAlloc_v2(&b, 400000));
  CHECK(cuMemAlloc_v2(&b, 1), CUDA_ERROR_OUT_OF_MEMORY);
  OK(cuMemFree_v2(a));
  OK(cuMemAlloc_v2(&a, 600000));
}

void caseMarks(void) {
  CUcontext context = begin();
  CUfunction put = kernelNamed("put"), move = kernelNamed("move");
  CUdeviceptr p;
  size_t count = 0;
  OK(cuMemAlloc_v2(&p, 256));
  OK(cuMemsetD32_v2(p, 1, 64));
  OK(ptxsimMarkRedZone(p + 64, 64));
  OK(launchOne(put, NULL, p + 60, 2));
  // The host must not touch the zone either, nor fill the zone by accident.
  unsigned value;
  CHECK(cuMemcpyDtoH_v2(&value, p + 64, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_MESSAGE("red zone");
  CHECK(cuMemsetD32_v2(p, 0, 64), CUDA_ERROR_INVALID_VALUE);
  OK(ptxsimClearRedZone(p + 124, 4));
  OK(launchOne(put, NULL, p + 124, 3));
  EXPECT(readWord(p + 124) == 3);
  OK(launchOne(put, NULL, p + 120, 3));
  CHECK(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_MESSAGE("in kernel put");
  EXPECT_MESSAGE("lies in a red zone (120 bytes into");
  OK(cuDevicePrimaryCtxRelease_v2(0));

  // Undefined bytes, also when the mark is part of a graph.
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  CUmodule module;
  CUstream s;
  CUgraph graph;
  CUgraphExec exec;
  OK(cuModuleLoadData(&module, testModule("sm_90")));
  OK(cuModuleGetFunction(&move, module, "move"));
  OK(cuMemAlloc_v2(&p, 256));
  OK(cuMemsetD32_v2(p, 1, 64));
  OK(ptxsimCountUndefined(p, 256, &count));
  EXPECT(count == 0);
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuStreamBeginCapture_v2(s, 0));
  OK(ptxsimMarkUndefinedAsync(p, 100, s));
  OK(cuStreamEndCapture(s, &graph));
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(ptxsimCountUndefined(p, 256, &count));
  EXPECT(count == 0);
  OK(cuGraphLaunch(exec, s));
  OK(ptxsimCountUndefined(p, 256, &count));
  EXPECT(count == 100);
  OK(ptxsimMarkDefined(p, 50));
  OK(ptxsimCountUndefined(p, 256, &count));
  EXPECT(count == 50);
  CUdeviceptr to = p + 200, from = p + 60;
  void *arguments[] = {&to, &from};
  OK(cuLaunchKernel(move, 1, 1, 1, 1, 1, 1, 0, s, arguments, NULL));
  CHECK(cuStreamSynchronize(s), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_MESSAGE("uninitialized");
}

/// PTXSIM_DEFINEDNESS=0
void caseNoMarks(void) {
  begin();
  CUdeviceptr p;
  OK(cuMemAlloc_v2(&p, 256));
  CHECK(ptxsimMarkRedZone(p, 4), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_MESSAGE("PTXSIM_DEFINEDNESS=1");
}

/// PTXSIM_LEAKS=1: driver-cases.py reads the output.
void caseLeaks(void) {
  begin();
  CUdeviceptr kept, freed;
  CUstream s, t;
  CUevent e;
  CUgraph graph;
  CUcontext context;
  size_t count = 0;
  kernelNamed("put");
  OK(cuMemAlloc_v2(&kept, 1234));
  OK(cuMemAlloc_v2(&freed, 5678));
  OK(cuMemFree_v2(freed));
  OK(cuStreamCreate(&s, 0));
  OK(cuStreamCreate(&t, 0));
  OK(cuStreamDestroy_v2(t));
  OK(cuEventCreate(&e, 0));
  OK(ptxsimCountLive(0, &count));
  EXPECT(count == 4);
  OK(cuDevicePrimaryCtxRelease_v2(0));
  OK(ptxsimCountLive(0, &count));
  EXPECT(count == 0);
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuGraphCreate(&graph, 0));
}
