// DLPack views of a state's tensors, for libraries that read DLPack, such as NumPy and PyTorch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structs are those of DLPack 0.x and of the part of DLPack 1 without a version number, which
// every consumer reads (https://dmlc.github.io/dlpack/latest/c_api.html). The runtime declares the
// structs itself, so that neither the runtime nor a model's header needs dlpack.h.
#include "lib/Runtime/Device.h"
#include <stdlib.h>

enum { DLPACK_CPU = 1 };
enum { DLPACK_INT, DLPACK_UINT, DLPACK_FLOAT, DLPACK_BFLOAT = 4, DLPACK_BOOL = 6 };

typedef struct {
  void *data;
  int32_t device_type, device_number;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides; /* in elements */
  uint64_t byte_offset;
} Tensor;
struct DLManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(struct DLManagedTensor *self);
};

static uint8_t codeOf(int32_t dtype) {
  switch (dtype) {
  case AMPC_F32:
  case AMPC_F64:
  case AMPC_F16:
    return DLPACK_FLOAT;
  case AMPC_BF16:
    return DLPACK_BFLOAT;
  case AMPC_I1:
    return DLPACK_BOOL;
  case AMPC_U8:
    return DLPACK_UINT;
  default:
    return DLPACK_INT;
  }
}

/* Frees the view: the struct, sizes and strides. The elements belong to the state. */
static void deleteView(struct DLManagedTensor *view) { free(view); }

static int32_t rankOf(const ampc_tensor *tensor) {
  return tensor->memory_rank ? tensor->memory_rank : tensor->rank;
}

/* Fills the view; the arrays of sizes and strides are in memory behind the struct. */
static void describe(struct DLManagedTensor *view, const ampc_tensor *tensor) {
  int64_t stride = 1;
  view->tensor.rank = rankOf(tensor);
  view->tensor.code = codeOf(tensor->dtype);
  view->tensor.bits = (uint8_t)(8 * ampc_rt_dtype_bytes(tensor->dtype));
  view->tensor.lanes = 1;
  view->tensor.byte_offset = 0;
  view->tensor.shape = (int64_t *)(view + 1);
  view->tensor.strides = view->tensor.shape + rankOf(tensor);
  for (int32_t dim = 0; dim < tensor->memory_rank; ++dim) {
    view->tensor.shape[dim] = ampc_rt_memory_dims(tensor)[dim];
    view->tensor.strides[dim] = ampc_rt_memory_strides(tensor)[dim];
  }
  if (tensor->memory_rank)
    return;
  for (int32_t dim = tensor->rank - 1; dim >= 0; --dim) {
    view->tensor.shape[dim] = tensor->dims[dim];
    view->tensor.strides[dim] = stride;
    stride *= tensor->dims[dim];
  }
}

ampc_status ampc_rt_dlpack(ampc_state *state, int32_t number, struct DLManagedTensor **view) {
  if (!state)
    return AMPC_E_ARG;
  state->error[0] = 0;
  const ampc_tensor *tensor = ampc_rt_tensor(state->model, number);
  void *data = ampc_rt_tensor_data(state, number);
  if (!view)
    return ampc_rt_fail(state->error, AMPC_E_ARG, "dlpack: tensor is null");
  *view = NULL;
  if (!tensor || !data)
    return ampc_rt_fail(state->error, AMPC_E_ARG, "dlpack: the state has no such tensor");
  size_t bytes = sizeof **view + 2 * sizeof(int64_t) * (size_t)rankOf(tensor);
  struct DLManagedTensor *made = aligned_alloc(AMPC_ALIGN, ampc_rt_align(bytes));
  if (!made)
    return ampc_rt_fail(state->error, AMPC_E_MEMORY, "dlpack: could not allocate %u bytes",
                        (uint64_t)bytes);
  const struct ampc_rt_device *device = state->model->device;
  describe(made, tensor);
  made->tensor.data = data;
  made->tensor.device_type = device ? device->dlpack_type : DLPACK_CPU;
  made->tensor.device_number = device ? device->number(state) : 0;
  made->context = NULL;
  made->deleter = deleteView;
  *view = made;
  return AMPC_OK;
}
