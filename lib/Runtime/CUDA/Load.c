// From the images of a model to functions of the device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/CUDA/Context.h"
#include <string.h>

/* ampc_guard sets *stop if the exponent of a number is all ones: infinite or NaN. `bits`: the 16
   bits of a number with the exponent, `mask`: bits of the exponent. Example of f32: upper 16 bits,
   0x7f80. ampc_advance adds 1 to a counter. ampc_labels checks labels of 1 << `size` bytes, signed
   if `sign` is 1: `width` labels from label `first` on, and again every `period` labels up to
   `count`. A label i that is neither in [least, limit) nor `ignore` raises *wrong to count - i. */
static const char helpers[] =
    ".version 6.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry ampc_guard(.param .u64 bits, .param .u32 mask, .param .u64 stop) {\n"
    "  .reg .b64 %rd<3>; .reg .b32 %r<4>; .reg .b16 %h; .reg .pred %p;\n"
    "  ld.param.u64 %rd1, [bits]; ld.param.u32 %r1, [mask]; ld.param.u64 %rd2, [stop];\n"
    "  cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;\n"
    "  ld.global.u16 %h, [%rd1]; cvt.u32.u16 %r2, %h; and.b32 %r2, %r2, %r1;\n"
    "  setp.eq.u32 %p, %r2, %r1; selp.b32 %r3, 1, 0, %p; st.global.b32 [%rd2], %r3; ret;\n}\n"
    ".visible .entry ampc_advance(.param .u64 counter) {\n"
    "  .reg .b64 %rd<3>;\n"
    "  ld.param.u64 %rd1, [counter]; cvta.to.global.u64 %rd1, %rd1;\n"
    "  ld.global.u64 %rd2, [%rd1]; add.u64 %rd2, %rd2, 1; st.global.u64 [%rd1], %rd2; ret;\n}\n"
    ".visible .entry ampc_labels(.param .u64 data, .param .u64 count, .param .u32 size,\n"
    "    .param .u32 sign, .param .s64 least, .param .s64 limit, .param .s64 ignore,\n"
    "    .param .u64 first, .param .u64 width, .param .u64 period, .param .u64 wrong) {\n"
    "  .reg .b64 %rd<17>; .reg .b32 %r<6>; .reg .b16 %h; .reg .pred %p<9>;\n"
    "  ld.param.u64 %rd1, [data]; ld.param.u64 %rd2, [count]; ld.param.u32 %r1, [size];\n"
    "  ld.param.s64 %rd3, [limit]; ld.param.s64 %rd4, [ignore]; ld.param.u64 %rd5, [wrong];\n"
    "  ld.param.u64 %rd11, [first]; ld.param.u64 %rd12, [width]; ld.param.u64 %rd13, [period];\n"
    "  ld.param.u32 %r3, [sign]; ld.param.s64 %rd10, [least];\n"
    "  cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd5, %rd5;\n"
    "  mov.u32 %r2, %tid.x; cvt.u64.u32 %rd6, %r2;\n"
    "  setp.eq.u32 %p1, %r1, 3; setp.eq.u32 %p6, %r1, 2; setp.eq.u32 %p7, %r1, 1;\n"
    "  setp.eq.u32 %p8, %r1, 0; setp.eq.and.u32 %p5, %r3, 1, %p8;\n"
    "NEXT:\n"
    "  div.u64 %rd14, %rd6, %rd12; rem.u64 %rd15, %rd6, %rd12; add.u64 %rd15, %rd15, %rd11;\n"
    "  mad.lo.u64 %rd15, %rd14, %rd13, %rd15;\n"
    "  setp.ge.u64 %p2, %rd15, %rd2; @%p2 bra DONE;\n"
    "  shl.b64 %rd7, %rd15, %r1; add.u64 %rd8, %rd1, %rd7; sub.u64 %rd16, %rd2, %rd15;\n"
    "  @%p1 ld.global.s64 %rd9, [%rd8];\n"
    "  @%p6 ld.global.s32 %r5, [%rd8]; @%p6 cvt.s64.s32 %rd9, %r5;\n"
    "  @%p7 ld.global.s16 %h, [%rd8]; @%p7 cvt.s64.s16 %rd9, %h;\n"
    "  @%p8 ld.global.u8 %h, [%rd8]; @%p8 cvt.u64.u16 %rd9, %h;\n"
    "  @%p5 ld.global.s8 %h, [%rd8]; @%p5 cvt.s64.s16 %rd9, %h;\n"
    "  setp.lt.s64 %p3, %rd9, %rd10; setp.ge.s64 %p4, %rd9, %rd3; or.pred %p3, %p3, %p4;\n"
    "  setp.ne.s64 %p4, %rd9, %rd4; and.pred %p3, %p3, %p4;\n"
    "  @%p3 red.global.max.u64 [%rd5], %rd16;\n"
    "  add.u64 %rd6, %rd6, 256; bra NEXT;\n"
    "DONE:\n  ret;\n}\n";

static ampc_status loadModule(ampc_cuda *cuda, void **module, const void *image, const char *what,
                              char *error) {
  char log[AMPC_ERROR_BYTES / 2];
  log[0] = 0;
  int options[] = {AMPC_CUDA_JIT_ERROR_LOG, AMPC_CUDA_JIT_ERROR_LOG_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  int result = cuda->driver.load_module(module, image, 2, options, values);
  if (!result)
    return AMPC_OK;
  *module = NULL;
  log[sizeof log - 1] = 0;
  for (char *c = log; *c; ++c) /* a message is a single line */
    *c = *c == '\n' ? ' ' : *c;
  const char *text = NULL;
  if (cuda->driver.error_string(result, &text) || !text)
    text = "unknown error";
  const char *hint = result == AMPC_CUDA_UNSUPPORTED_PTX
                         ? ": the driver is older than this PTX; update the driver, or compile "
                           "machine code (--gpu-images=cubin)"
                         : "";
  return ampc_rt_fail(error, AMPC_E_DEVICE, "cuda: could not load %s: %s (error %d)%s%s%s", what,
                      text, (int64_t)result, hint, *log ? ": " : "", log);
}

static ampc_status loadImage(ampc_cuda *cuda, int32_t capability, char *error) {
  const ampc_state *state = cuda->state;
  const ampc_model *model = state->model;
  ampc_status status = AMPC_E_DEVICE;
  for (int32_t i = 0; i < model->image_count; ++i) {
    const ampc_image *image = &model->images[i];
    if (!ampc_rt_takes_image(image, state->tier, capability))
      continue;
    status = loadModule(
        cuda, &cuda->module, image->data,
        image->kind == AMPC_IMAGE_CUBIN ? "the model's machine code" : "the model's PTX", error);
    if (!status)
      return AMPC_OK;
  }
  if (!error[0])
    ampc_rt_fail(error, AMPC_E_DEVICE,
                 "cuda: model '%s' has no code for a device of compute capability %d.%d",
                 model->name, (int64_t)(capability / 10), (int64_t)(capability % 10));
  return status;
}

/* Finds a kernel's function. Dynamic shared memory above 48 KB needs an attribute of the function.
 */
static ampc_status findFunction(ampc_cuda *cuda, const ampc_launch *launch, void **function,
                                char *error) {
  int result = cuda->driver.function(function, cuda->module, launch->function);
  if (!result && launch->shared_bytes > 48 * 1024)
    result = cuda->driver.set_function(*function, AMPC_CUDA_MAX_DYNAMIC_SHARED_BYTES,
                                       (int)launch->shared_bytes);
  return ampc_rt_cuda_check(&cuda->driver, result, launch->function, error);
}

ampc_status ampc_rt_cuda_load(ampc_cuda *cuda, int32_t capability, char *error) {
  const ampc_model *model = cuda->state->model;
  ampc_status status = loadImage(cuda, capability, error);
  if (!status)
    status = loadModule(cuda, &cuda->helpers, helpers, "the runtime's own kernels", error);
  const char *const names[AMPC_CUDA_HELPERS] = {"ampc_guard", "ampc_advance", "ampc_labels"};
  for (int i = 0; i < AMPC_CUDA_HELPERS && !status; ++i)
    status = ampc_rt_cuda_check(&cuda->driver,
                                cuda->driver.function(&cuda->helper[i], cuda->helpers, names[i]),
                                names[i], error);
  int32_t number = 0;
  for (int32_t k = 0; k < model->kernel_count; ++k) {
    const ampc_kernel *kernel = &model->kernels[k];
    cuda->first_function[k] = number;
    for (int32_t l = 0; l < kernel->launch_count && !status; ++l)
      status = findFunction(cuda, &kernel->launches[l], &cuda->functions[number + l], error);
    number += kernel->launch_count;
  }
  return status;
}
