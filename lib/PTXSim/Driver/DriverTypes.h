// Subset of the CUDA driver's entry points and types that this library provides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Independent declarations: neither building nor using the library needs cuda.h. Names, values and
// layouts follow the driver's binary interface.
#ifndef PTXSIM_DRIVER_DRIVERTYPES_H
#define PTXSIM_DRIVER_DRIVERTYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPool_st *CUmemoryPool;

#define PTXSIM_RESULTS(X)                                                                          \
  X(CUDA_SUCCESS, 0)                                                                               \
  X(CUDA_ERROR_INVALID_VALUE, 1)                                                                   \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2)                                                                   \
  X(CUDA_ERROR_NOT_INITIALIZED, 3)                                                                 \
  X(CUDA_ERROR_NO_DEVICE, 100)                                                                     \
  X(CUDA_ERROR_INVALID_DEVICE, 101)                                                                \
  X(CUDA_ERROR_INVALID_IMAGE, 200)                                                                 \
  X(CUDA_ERROR_INVALID_CONTEXT, 201)                                                               \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                                             \
  X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215)                                                             \
  X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217)                                                       \
  X(CUDA_ERROR_INVALID_PTX, 218)                                                                   \
  X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)                                                       \
  X(CUDA_ERROR_FILE_NOT_FOUND, 301)                                                                \
  X(CUDA_ERROR_INVALID_HANDLE, 400)                                                                \
  X(CUDA_ERROR_NOT_FOUND, 500)                                                                     \
  X(CUDA_ERROR_NOT_READY, 600)                                                                     \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                                                               \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                                                       \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                                                \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                                                          \
  X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712)                                                \
  X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713)                                                    \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                                                           \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)                                                            \
  X(CUDA_ERROR_LAUNCH_FAILED, 719)                                                                 \
  X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720)                                                  \
  X(CUDA_ERROR_NOT_SUPPORTED, 801)                                                                 \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)                                                    \
  X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901)                                                    \
  X(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902)                                                          \
  X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903)                                                      \
  X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904)                                                       \
  X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906)                                                       \
  X(CUDA_ERROR_CAPTURED_EVENT, 907)                                                                \
  X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910)                                                     \
  X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912)                                                          \
  X(CUDA_ERROR_UNKNOWN, 999)
enum {
#define PTXSIM_RESULT(name, value) name = value,
  PTXSIM_RESULTS(PTXSIM_RESULT)
#undef PTXSIM_RESULT
};

enum {
  CU_STREAM_NON_BLOCKING = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_UNIFIED = 4,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4
};

typedef struct {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative;
    struct {
      unsigned x, y, z;
    } clusterDim;
  } value;
} CUlaunchAttribute;

typedef struct {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
} CUlaunchConfig;

typedef struct __attribute__((aligned(64))) {
  uint64_t opaque[16];
} CUtensorMap;

typedef struct {
  char bytes[16];
} CUuuid;

/// Source or destination of a 2D copy.
typedef struct {
  size_t xInBytes, y;
  int memoryType;
  void *host;
  CUdeviceptr device;
  void *array;
  size_t pitch;
} CUcopySide2D;
typedef struct {
  CUcopySide2D src, dst;
  size_t widthInBytes, height;
} CUDA_MEMCPY2D;

typedef struct {
  size_t xInBytes, y, z, lod;
  int memoryType;
  void *host;
  CUdeviceptr device;
  void *array, *reserved;
  size_t pitch, height;
} CUcopySide3D;
typedef struct {
  CUcopySide3D src, dst;
  size_t widthInBytes, height, depth;
} CUDA_MEMCPY3D;

typedef struct {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  void **kernelParams, **extra;
  CUkernel kern;
  CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;
typedef struct {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;
typedef struct {
  void (*fn)(void *);
  void *userData;
} CUDA_HOST_NODE_PARAMS;

/// Message of this thread's last result other than CUDA_SUCCESS.
const char *ptxsimLastError(void);

// Definedness marks, for programs with allocators of their own. Calls with a stream become graph
// nodes while the stream captures.

/// Marks the bytes as never written.
CUresult ptxsimMarkUndefined(CUdeviceptr address, size_t bytes);
CUresult ptxsimMarkUndefinedAsync(CUdeviceptr address, size_t bytes, CUstream stream);
/// Marks the bytes as written.
CUresult ptxsimMarkDefined(CUdeviceptr address, size_t bytes);
CUresult ptxsimMarkDefinedAsync(CUdeviceptr address, size_t bytes, CUstream stream);
/// Makes every access to the bytes an out-of-bounds error, until ptxsimClearRedZone.
CUresult ptxsimMarkRedZone(CUdeviceptr address, size_t bytes);
CUresult ptxsimMarkRedZoneAsync(CUdeviceptr address, size_t bytes, CUstream stream);
/// Makes the bytes accessible and undefined.
CUresult ptxsimClearRedZone(CUdeviceptr address, size_t bytes);
CUresult ptxsimClearRedZoneAsync(CUdeviceptr address, size_t bytes, CUstream stream);
/// Counts the bytes that were never written.
CUresult ptxsimCountUndefined(CUdeviceptr address, size_t bytes, size_t *count);
/// Writes the file of PTXSIM_REPORT now, in addition to the write at exit.
CUresult ptxsimWriteReport(void);
/// Counts the living handles and allocations of a device.
CUresult ptxsimCountLive(CUdevice device, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
