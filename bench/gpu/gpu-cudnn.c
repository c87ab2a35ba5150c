// Times a convolution by cuDNN, which is loaded at run time.
// gpu-cudnn LIBRARY KIND IMAGES SIDE CHANNELS FEATURES WINDOW STRIDE REPEATS
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// KIND: forward, filter (gradient of the filter) or image (gradient of the image). All tensors are
// bf16, sums f32, images NHWC with padding `same`; ampc keeps gradients of filters in f32. Prints
// the median of REPEATS runs of the algorithm that is fastest in cuDNN's own search; see
// timeMedian.
#include "bench/gpu/Device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Own declarations of the part of cuDNN's interface (versions 8 and 9) that is called here.
enum { FLOAT = 0, BFLOAT16 = 9, NHWC = 1, CROSS_CORRELATION = 1, TENSOR_CORES = 1 };
typedef struct {
  int algorithm, status;
  float time;
  size_t memory;
  int determinism, math, reserved[3];
} Found;
typedef int Search(void *, void *, const void *, void *, const void *, void *, void *, void *, int,
                   int *, Found *, void *, size_t);
typedef int Convolve(void *, const void *, void *, const void *, void *, const void *, void *, int,
                     void *, size_t, const void *, void *, void *);
#define CUDNN_FUNCTIONS(F)                                                                         \
  F(create, "cudnnCreate", (void **))                                                              \
  F(create_tensor, "cudnnCreateTensorDescriptor", (void **))                                       \
  F(set_tensor, "cudnnSetTensor4dDescriptor", (void *, int, int, int, int, int, int))              \
  F(create_filter, "cudnnCreateFilterDescriptor", (void **))                                       \
  F(set_filter, "cudnnSetFilter4dDescriptor", (void *, int, int, int, int, int, int))              \
  F(create_convolution, "cudnnCreateConvolutionDescriptor", (void **))                             \
  F(set_convolution, "cudnnSetConvolution2dDescriptor",                                            \
    (void *, int, int, int, int, int, int, int, int))                                              \
  F(set_math, "cudnnSetConvolutionMathType", (void *, int))

static struct {
#define MEMBER(name, symbol, parameters) int(*name) parameters;
  CUDNN_FUNCTIONS(MEMBER)
#undef MEMBER
  Search *search;
  Convolve *convolve;
} dnn;

static void ok(int result, const char *what) {
  if (result)
    end("failed: cuDNN, %s: status %d", what, result);
}

static void find(void *library, const char *symbol, void *to) {
  void *found = dlsym(library, symbol);
  if (!found)
    end("failed: the library has no %s", symbol);
  memcpy(to, &found, sizeof found);
}

/* Searches and convolutions of the three kinds take the same arguments in the same order: scale,
   two tensors that are read, the convolution, ..., the tensor that is written. */
static void openLibrary(const char *path, const char *kind) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    end("failed: %s", dlerror());
#define FIND(name, symbol, parameters) find(library, symbol, &dnn.name);
  CUDNN_FUNCTIONS(FIND)
#undef FIND
  const char *name = !strcmp(kind, "forward")  ? "Forward"
                     : !strcmp(kind, "filter") ? "BackwardFilter"
                                               : "BackwardData";
  char symbol[96];
  snprintf(symbol, sizeof symbol, "cudnnFindConvolution%sAlgorithmEx", name);
  find(library, symbol, &dnn.search);
  snprintf(symbol, sizeof symbol, "cudnnConvolution%s", name);
  find(library, symbol, &dnn.convolve);
}

/* A tensor and the descriptor. */
typedef struct {
  void *shape;
  ampc_cuda_address place;
} Tensor;

static Tensor image(int images, int channels, int side) {
  Tensor tensor;
  ok(dnn.create_tensor(&tensor.shape), "tensor");
  ok(dnn.set_tensor(tensor.shape, NHWC, BFLOAT16, images, channels, side, side), "tensor");
  tensor.place =
      allocateRandom((uint64_t)images * (uint64_t)channels * (uint64_t)side * (uint64_t)side);
  return tensor;
}

static Tensor filter(int features, int channels, int window) {
  Tensor tensor;
  ok(dnn.create_filter(&tensor.shape), "filter");
  ok(dnn.set_filter(tensor.shape, BFLOAT16, NHWC, features, channels, window, window), "filter");
  tensor.place =
      allocateRandom((uint64_t)features * (uint64_t)channels * (uint64_t)window * (uint64_t)window);
  return tensor;
}

static void *convolution(int pad, int stride) {
  void *made;
  ok(dnn.create_convolution(&made), "convolution");
  ok(dnn.set_convolution(made, pad, pad, stride, stride, 1, 1, CROSS_CORRELATION, FLOAT),
     "convolution");
  ok(dnn.set_math(made, TENSOR_CORES), "tensor cores");
  return made;
}

/* Operation with two operands and a result. */
typedef struct {
  void *handle, *shape;
  const Tensor *first, *second, *result;
  ampc_cuda_address workspace;
  Found best;
} Call;
enum { ROOM = 1 << 30 };
#define POINTER(address) (void *)(uintptr_t)(address)

static void search(Call *call) {
  int count = 0;
  call->workspace = allocate(ROOM);
  ok(dnn.search(call->handle, call->first->shape, POINTER(call->first->place), call->second->shape,
                POINTER(call->second->place), call->shape, call->result->shape,
                POINTER(call->result->place), 1, &count, &call->best, POINTER(call->workspace),
                ROOM),
     "search");
  if (!count || call->best.status)
    end("failed: cuDNN has no algorithm: status %d", count ? call->best.status : 0);
  ok(dnn.set_math(call->shape, call->best.math), "mode of the algorithm");
}

static void convolve(const void *context) {
  const Call *call = context;
  float one = 1, zero = 0;
  ok(dnn.convolve(call->handle, &one, call->first->shape, POINTER(call->first->place),
                  call->second->shape, POINTER(call->second->place), call->shape,
                  call->best.algorithm, POINTER(call->workspace), ROOM, &zero, call->result->shape,
                  POINTER(call->result->place)),
     "convolution");
}

int main(int argc, char **argv) {
  if (argc != 10)
    end("usage: gpu-cudnn LIBRARY forward|filter|image IMAGES SIDE CHANNELS FEATURES WINDOW STRIDE "
        "REPEATS");
  int size[7];
  for (int i = 0; i < 7; ++i)
    if ((size[i] = atoi(argv[3 + i])) < 1)
      end("failed: expected a positive number, but got %s", argv[3 + i]);
  const char *kind = argv[2];
  void *handle;
  openDevice();
  openLibrary(argv[1], kind);
  ok(dnn.create(&handle), "create");
  Tensor x = image(size[0], size[2], size[1]), w = filter(size[3], size[2], size[4]),
         y = image(size[0], size[3], size[1] / size[5]);
  void *shape = convolution(size[4] / 2, size[5]);
  bool isForward = !strcmp(kind, "forward"), isFilter = !strcmp(kind, "filter");
  const Tensor *first = isForward || isFilter ? &x : &w, *second = isForward ? &w : &y;
  const Tensor *result = isForward ? &y : isFilter ? &w : &x;
  Call call = {
      .handle = handle, .shape = shape, .first = first, .second = second, .result = result};
  search(&call);
  printf("cudnn %s %s %s %s %s %s %s %.4f ms\n", kind, argv[3], argv[4], argv[5], argv[6], argv[7],
         argv[8], timeMedian(convolve, &call, size[6]));
  return 0;
}
