// Rejections by the driver library: limits of launches, chips, texts; sticky errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/PTXSim/driver-cases.h"

static CUresult launchSized(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                            unsigned by, unsigned bz, unsigned shared) {
  return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, NULL, NULL, NULL);
}

static CUresult launchCluster(CUfunction f, unsigned grid, unsigned cluster) {
  CUlaunchAttribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attribute.value.clusterDim.x = cluster;
  attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
  CUlaunchConfig config = {grid, 1, 1, 1, 1, 1, 4, NULL, &attribute, 1};
  return cuLaunchKernelEx(&config, f, NULL, NULL);
}

void caseLimits(void) {
  begin();
  CUfunction wide = kernelNamed("wide"), bounded = kernelNamed("bounded");
  int value = 0;
  // Dynamic shared memory: 48 KB until the kernel asks for more.
  OK(cuFuncGetAttribute(&value, 8, wide));
  EXPECT(value == 49152);
  OK(launchSized(wide, 1, 1, 1, 1, 1, 1, 49152));
  CHECK(launchSized(wide, 1, 1, 1, 1, 1, 1, 49168), CUDA_ERROR_INVALID_VALUE);
  EXPECT_MESSAGE("MAX_DYNAMIC_SHARED_SIZE_BYTES");
  CHECK(cuFuncSetAttribute(wide, 8, 232449), CUDA_ERROR_INVALID_VALUE);
  EXPECT_MESSAGE("at most 232448 bytes");
  OK(cuFuncSetAttribute(wide, 8, 232448));
  OK(launchSized(wide, 1, 1, 1, 1, 1, 1, 232448));
  CHECK(launchSized(wide, 1, 1, 1, 1, 1, 1, 232464), CUDA_ERROR_INVALID_VALUE);
  CHECK(cuFuncSetAttribute(wide, 99, 1), CUDA_ERROR_INVALID_VALUE);
  CHECK(cuFuncGetAttribute(&value, 99, wide), CUDA_ERROR_INVALID_VALUE);
  // Grids and blocks.
  CHECK(launchSized(wide, 1, 65536, 1, 1, 1, 1, 16), CUDA_ERROR_INVALID_VALUE);
  CHECK(launchSized(wide, 1, 1, 65536, 1, 1, 1, 16), CUDA_ERROR_INVALID_VALUE);
  CHECK(launchSized(wide, 0, 1, 1, 1, 1, 1, 16), CUDA_ERROR_INVALID_VALUE);
  CHECK(launchSized(wide, 1, 1, 1, 1, 1, 65, 16), CUDA_ERROR_INVALID_VALUE);
  CHECK(launchSized(wide, 1, 1, 1, 1025, 1, 1, 16), CUDA_ERROR_INVALID_VALUE);
  CHECK(launchSized(wide, 1, 1, 1, 32, 32, 2, 16), CUDA_ERROR_INVALID_VALUE);
  OK(launchSized(wide, 1, 1, 2, 1, 1, 64, 16));
  OK(cuFuncGetAttribute(&value, 0, bounded));
  EXPECT(value == 64);
  OK(launchSized(bounded, 1, 1, 1, 64, 1, 1, 0));
  CHECK(launchSized(bounded, 1, 1, 1, 65, 1, 1, 0), CUDA_ERROR_INVALID_VALUE);
  // Clusters.
  OK(launchCluster(wide, 16, 8));
  CHECK(launchCluster(wide, 16, 16), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  CHECK(launchCluster(wide, 15, 2), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  OK(cuFuncSetAttribute(wide, 14, 1));
  OK(launchCluster(wide, 16, 16));
  CHECK(launchCluster(wide, 32, 32), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  // None of this is an error that sticks.
  OK(cuCtxSynchronize());
  CHECK(launchSized((CUfunction)&value, 1, 1, 1, 1, 1, 1, 0), CUDA_ERROR_INVALID_HANDLE);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, wide, 1024, 0));
  EXPECT(value == 2);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, wide, 128, 100 << 10));
  EXPECT(value == 2);
}

/// Prints the chip's attributes for driver-cases.py, which compares the output with a table.
void caseChip(void) {
  begin();
  const int attributes[] = {75, 76, 16, 8, 97, 81, 38, 39, 106, 111, 120, 95};
  int value = 0;
  for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++) {
    OK(cuDeviceGetAttribute(&value, attributes[k], 0));
    printf("attribute %d %d\n", attributes[k], value);
  }
  CHECK(cuDeviceGetAttribute(&value, 999, 0), CUDA_ERROR_INVALID_VALUE);
  CHECK(cuDeviceGetAttribute(&value, 0, 0), CUDA_ERROR_INVALID_VALUE);
  CUmodule module;
  printf("sm_80 %d\n", cuModuleLoadData(&module, testModule("sm_80")));
  printf("sm_90a %d\n", cuModuleLoadData(&module, testModule("sm_90a")));
  printf("cluster %d\n", launchCluster(kernelNamed("wide"), 2, 2));
}

void caseText(void) {
  begin();
  CUmodule module;
  char log[200], info[50] = "old";
  int options[] = {5, 6, 3, 4};
  void *values[] = {log, (void *)sizeof log, info, (void *)sizeof info};
  const char *bad = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                    "frobnicate;\n}\n";
  CHECK(cuModuleLoadDataEx(&module, bad, 4, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT(strstr(log, "error: 6:1: frobnicate: unknown instruction"));
  EXPECT((size_t)values[1] == strlen(log) + 1);
  values[1] = (void *)10;
  CHECK(cuModuleLoadDataEx(&module, bad, 2, options, values), CUDA_ERROR_INVALID_PTX);
  EXPECT(!strcmp(log, "error: 6:") && (size_t)values[1] == 10);
  values[1] = (void *)sizeof log;
  values[3] = (void *)sizeof info;
  OK(cuModuleLoadDataEx(&module, testModule("sm_90"), 4, options, values));
  EXPECT(!log[0] && !info[0]);
  CHECK(cuModuleLoadData(&module,
                         ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                         ".shared .b8 s[60000];\n.reg .b32 %r<2>;\nmov.u32 %r1, s;\nret;\n}\n"),
        CUDA_ERROR_INVALID_PTX);
  EXPECT_MESSAGE("60000 bytes of shared memory");
  CHECK(cuModuleLoadData(&module, ".version 99.0\n.target sm_90\n.address_size 64\n"),
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  CHECK(cuModuleLoadData(&module, testModule("sm_100")), CUDA_ERROR_INVALID_PTX);
  EXPECT_MESSAGE("expected PTX that sm_90 can run, but got .target sm_100");
  // A damaged cubin, and a valid cubin, which the interpreter cannot run.
  char elf[64] = "\177ELF\2\1\1";
  CHECK(cuModuleLoadData(&module, elf), CUDA_ERROR_INVALID_IMAGE);
  elf[18] = (char)190;
  CHECK(cuModuleLoadData(&module, elf), CUDA_ERROR_NO_BINARY_FOR_GPU);
  CUlibrary library;
  CHECK(cuLibraryLoadData(&library, bad, NULL, NULL, 0, NULL, NULL, 0), CUDA_ERROR_INVALID_PTX);
  CHECK(cuModuleUnload((CUmodule)&library), CUDA_ERROR_INVALID_HANDLE);
}

void caseSticky(void) {
  begin();
  CUdeviceptr p;
  CUcontext context;
  CUfunction stop = kernelNamed("stop"), put = kernelNamed("put");
  OK(cuMemAlloc_v2(&p, 4));
  OK(launchOne(put, NULL, p, 7));
  // The launch does not wait for the kernel.
  OK(cuLaunchKernel(stop, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  unsigned value;
  CHECK(cuMemcpyDtoH_v2(&value, p, 4), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_MESSAGE("an earlier error of this context");
  CHECK(launchOne(put, NULL, p, 7), CUDA_ERROR_LAUNCH_FAILED);
  CHECK(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  // Other contexts are unaffected, and a primary context is new after the release.
  OK(cuCtxCreate_v2(&context, 0, 0));
  OK(cuMemAlloc_v2(&p, 4));
  OK(cuCtxDestroy_v2(context));
  OK(cuDevicePrimaryCtxRelease_v2(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  CUmodule module;
  OK(cuModuleLoadData(&module, testModule("sm_90")));
  OK(cuModuleGetFunction(&put, module, "put"));
  OK(cuMemAlloc_v2(&p, 16));
  // The codes of the hardware for bad addresses.
  OK(launchOne(put, NULL, p + 2, 7));
  CHECK(cuCtxSynchronize(), CUDA_ERROR_MISALIGNED_ADDRESS);
  OK(cuDevicePrimaryCtxRelease_v2(0));
  CHECK(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}
