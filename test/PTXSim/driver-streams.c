// Contexts, devices, captures and graphs of the driver library.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/driver-cases.h"

void caseContexts(void) {
  CUcontext a, b, c, now;
  int active = 1;
  unsigned flags;
  CHECK(cuCtxGetCurrent(&now), CUDA_ERROR_NOT_INITIALIZED);
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT(!active);
  CHECK(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuCtxPopCurrent_v2(&now), CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuDevicePrimaryCtxRetain(&a, 0));
  OK(cuDevicePrimaryCtxRetain(&b, 0));
  EXPECT(a == b);
  OK(cuCtxPushCurrent_v2(a));
  OK(cuCtxCreate_v2(&c, 0, 0));
  OK(cuCtxGetCurrent(&now));
  EXPECT(now == c && c != a);
  OK(cuCtxPopCurrent_v2(&now));
  EXPECT(now == c);
  OK(cuCtxGetCurrent(&now));
  EXPECT(now == a);
  OK(cuCtxSetCurrent(c));
  CUdeviceptr p;
  OK(cuMemAlloc_v2(&p, 16));
  OK(cuCtxDestroy_v2(c));
  CHECK(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuCtxSetCurrent(c), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuDevicePrimaryCtxRelease_v2(0));
  OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT(active);
  OK(cuCtxSetCurrent(a));
  OK(cuMemAlloc_v2(&p, 16));
  OK(cuDevicePrimaryCtxRelease_v2(0));
  CHECK(cuMemAlloc_v2(&p, 16), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  OK(cuCtxSetCurrent(NULL));
}

/// PTXSIM_DEVICES=2
void caseDevices(void) {
  CUcontext first = begin(), second;
  CUdevice device;
  CUlibrary library;
  CUkernel kernel;
  CUdeviceptr p, q;
  int count = 0;
  OK(cuDeviceGetCount(&count));
  EXPECT(count == 2);
  CHECK(cuDevicePrimaryCtxRetain(&second, 2), CUDA_ERROR_INVALID_DEVICE);
  OK(cuDevicePrimaryCtxRetain(&second, 1));
  OK(cuLibraryLoadData(&library, testModule("sm_90"), NULL, NULL, 0, NULL, NULL, 0));
  OK(cuLibraryGetKernel(&kernel, library, "put"));
  OK(cuMemAlloc_v2(&p, 4));
  OK(launchOne((CUfunction)kernel, NULL, p, 11));
  OK(cuCtxSetCurrent(second));
  OK(cuCtxGetDevice(&device));
  EXPECT(device == 1);
  OK(cuMemAlloc_v2(&q, 4));
  OK(launchOne((CUfunction)kernel, NULL, q, 22));
  EXPECT(readWord(p) == 11 && readWord(q) == 22);
  OK(cuMemcpyPeer(q, second, p, first, 4));
  EXPECT(readWord(q) == 11);
  // A device cannot access the other device's memory; the first device stays intact.
  OK(launchOne((CUfunction)kernel, NULL, p, 33));
  CHECK(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  OK(cuCtxSetCurrent(first));
  EXPECT(readWord(p) == 11);
  OK(cuLibraryUnload(library));
}

void caseCapture(void) {
  begin();
  CUfunction add = kernelNamed("add");
  CUdeviceptr p, q;
  CUstream s, t;
  CUevent fork, join, timed;
  CUgraph graph;
  CUgraphExec exec;
  int status = 0, kinds[4] = {0, 0, 0, 0};
  unsigned source = 100;
  float elapsed;
  OK(cuMemAlloc_v2(&p, 4));
  OK(cuMemAlloc_v2(&q, 4));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  OK(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  OK(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
  OK(cuEventCreate(&timed, 0));
  OK(cuStreamBeginCapture_v2(s, 0));
  OK(cuMemsetD8Async(p, 0, 4, s));
  OK(cuMemcpyHtoDAsync_v2(q, &source, 4, s));
  OK(cuEventRecord(fork, s));
  OK(cuStreamWaitEvent(t, fork, 0));
  OK(cuStreamIsCapturing(t, &status));
  EXPECT(status == 1);
  OK(launchOne(add, t, q, 1));
  OK(launchOne(add, s, p, 2));
  OK(cuEventRecord(join, t));
  OK(cuStreamWaitEvent(s, join, 0));
  OK(cuMemcpyDtoDAsync_v2(p, q, 4, s));
  OK(cuStreamEndCapture(s, &graph));
  OK(cuStreamIsCapturing(t, &status));
  EXPECT(status == 0);
  CUgraphNode nodes[8];
  size_t count = 8;
  OK(cuGraphGetNodes(graph, nodes, &count));
  EXPECT(count == 5);
  for (size_t k = 0; k < count; k++) {
    OK(cuGraphNodeGetType(nodes[k], &status));
    kinds[status]++;
  }
  EXPECT(kinds[0] == 2 && kinds[1] == 2 && kinds[2] == 1);
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphDestroy(graph)); // independent of the executable graph
  for (source = 100; source < 103; source++) {
    OK(cuGraphLaunch(exec, s));
    OK(cuStreamSynchronize(s));
    EXPECT(readWord(p) == source + 1);
  }
  OK(cuEventRecord(timed, s));
  CHECK(cuEventElapsedTime(&elapsed, fork, timed), CUDA_ERROR_CAPTURED_EVENT);
  OK(cuEventRecord(fork, s));
  CHECK(cuEventElapsedTime(&elapsed, fork, timed), CUDA_ERROR_INVALID_HANDLE);
  OK(cuEventElapsedTime(&elapsed, timed, timed));
  EXPECT(elapsed == 0);
  OK(cuGraphExecDestroy(exec));
  CHECK(cuGraphLaunch(exec, s), CUDA_ERROR_INVALID_HANDLE);
}

void caseCaptureErrors(void) {
  begin();
  CUdeviceptr p, q;
  CUstream s, t, blocking;
  CUevent event;
  CUgraph graph = (CUgraph)&p;
  OK(cuMemAlloc_v2(&p, 4));
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&t, CU_STREAM_NON_BLOCKING));
  OK(cuStreamCreate(&blocking, 0));
  OK(cuEventCreate(&event, 0));
  // A wait during a capture invalidates the capture.
  OK(cuStreamBeginCapture_v2(s, 0));
  CHECK(cuStreamSynchronize(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(cuMemsetD32Async(p, 0, 1, s), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(cuStreamSynchronize(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT(!graph);
  // So does an allocation, except in the relaxed mode.
  OK(cuStreamBeginCapture_v2(s, 0));
  CHECK(cuMemAlloc_v2(&q, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  OK(cuStreamBeginCapture_v2(s, 2));
  OK(cuMemAlloc_v2(&q, 4));
  OK(cuStreamEndCapture(s, &graph));
  // The default stream waits for blocking streams.
  OK(cuStreamBeginCapture_v2(blocking, 0));
  CHECK(cuMemsetD32_v2(p, 0, 1), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(cuStreamEndCapture(blocking, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  OK(cuStreamBeginCapture_v2(s, 0));
  OK(cuMemsetD32_v2(p, 0, 1));
  OK(cuStreamEndCapture(s, &graph));
  // Work on a second stream must be joined.
  OK(cuStreamBeginCapture_v2(s, 0));
  OK(cuEventRecord(event, s));
  OK(cuStreamWaitEvent(t, event, 0));
  OK(cuMemsetD32Async(p, 0, 1, t));
  CHECK(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  CHECK(cuStreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  CHECK(cuStreamBeginCapture_v2(NULL, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuStreamSynchronize(s));
  OK(cuStreamSynchronize(t));
}

static void countCall(void *calls) { ++*(unsigned *)calls; }

void caseGraphs(void) {
  begin();
  CUfunction add = kernelNamed("add");
  CUdeviceptr p;
  OK(cuMemAlloc_v2(&p, 4));
  unsigned two = 2, five = 5;
  void *addTwo[] = {&p, &two}, *addFive[] = {&p, &five};
  CUDA_KERNEL_NODE_PARAMS kernel = {add, 1, 1, 1, 1, 1, 1, 0, addTwo, NULL, NULL, NULL};
  CUDA_MEMSET_NODE_PARAMS fill = {p, 0, 10, 4, 1, 1};
  CUgraph graph, other;
  CUgraphNode set, node, unused;
  CUgraphExec exec;
  OK(cuGraphCreate(&graph, 0));
  OK(cuGraphAddMemsetNode(&set, graph, NULL, 0, &fill, NULL));
  OK(cuGraphAddKernelNode_v2(&node, graph, &set, 1, &kernel));
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphLaunch(exec, NULL));
  EXPECT(readWord(p) == 12);
  kernel.kernelParams = addFive;
  OK(cuGraphExecKernelNodeSetParams_v2(exec, node, &kernel));
  OK(cuGraphLaunch(exec, NULL));
  EXPECT(readWord(p) == 15);
  CHECK(cuGraphExecKernelNodeSetParams_v2(exec, set, &kernel), CUDA_ERROR_INVALID_VALUE);
  // A graph of the same shape replaces the nodes, another shape is rejected.
  OK(cuGraphCreate(&other, 0));
  fill.value = 20;
  OK(cuGraphAddMemsetNode(&set, other, NULL, 0, &fill, NULL));
  CHECK(cuGraphExecUpdate_v2(exec, other, NULL), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  CHECK(cuGraphAddKernelNode_v2(&unused, other, &node, 1, &kernel), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphAddKernelNode_v2(&unused, other, &set, 1, &kernel));
  OK(cuGraphExecUpdate_v2(exec, other, NULL));
  OK(cuGraphLaunch(exec, NULL));
  EXPECT(readWord(p) == 25);
  kernel.blockDimX = 1025;
  CHECK(cuGraphAddKernelNode_v2(&unused, other, NULL, 0, &kernel), CUDA_ERROR_INVALID_VALUE);
  // No work runs after a failing kernel, and the launch does not wait for the kernel.
  CUstream s;
  unsigned calls = 0;
  OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  OK(cuStreamBeginCapture_v2(s, 0));
  OK(cuLaunchHostFunc(s, countCall, &calls));
  OK(cuLaunchKernel(kernelNamed("stop"), 1, 1, 1, 1, 1, 1, 0, s, NULL, NULL));
  OK(cuLaunchHostFunc(s, countCall, &calls));
  OK(cuStreamEndCapture(s, &graph));
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphLaunch(exec, s));
  CHECK(cuStreamSynchronize(s), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT(calls == 1);
}

/// PTXSIM_REPORT: driver-cases.py reads the file.
void caseReport(void) {
  begin();
  CUfunction add = kernelNamed("add"), wide = kernelNamed("wide");
  CUdeviceptr p;
  unsigned value = 1;
  OK(cuMemAlloc_v2(&p, 4));
  OK(cuMemcpyHtoD_v2(p, &value, 4));
  for (int k = 0; k < 3; k++)
    OK(launchOne(add, NULL, p, 1));
  OK(cuLaunchKernel(wide, 2, 1, 1, 64, 1, 1, 256, NULL, NULL, NULL));
  EXPECT(readWord(p) == 4);
}

void caseEntryPoints(void) {
  CUresult (*init)(unsigned) = NULL;
  void *found = NULL;
  int status = 5;
  // Before cuInit, which is itself looked up.
  OK(cuGetProcAddress_v2("cuInit", (void **)&init, 12000, 0, &status));
  EXPECT(init && status == 0);
  CHECK(cuGetProcAddress_v2("", &found, 12000, 0, &status), CUDA_ERROR_NOT_FOUND);
  EXPECT(!found && status == 1);
  CHECK(cuGetProcAddress_v2(NULL, &found, 12000, 0, &status), CUDA_ERROR_INVALID_VALUE);
  OK(cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, NULL));
  EXPECT(found == (void *)cuMemAlloc_v2);
  OK(init(0));
}
