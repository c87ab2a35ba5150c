// Opens NVIDIA's driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/CUDA/Driver.h"
#include <dlfcn.h>
#include <string.h>

static ampc_status findFunctions(ampc_cuda_driver *driver, char *error) {
#define AMPC_CUDA_FIND(name, symbol, parameters)                                                   \
  {                                                                                                \
    void *found = dlsym(driver->library, symbol);                                                  \
    if (!found)                                                                                    \
      return ampc_rt_fail(error, AMPC_E_DEVICE,                                                    \
                          "cuda: the driver has no %s: expected a driver for CUDA 12 or later",    \
                          symbol);                                                                 \
    memcpy(&driver->name, &found, sizeof found);                                                   \
  }
  AMPC_CUDA_FUNCTIONS(AMPC_CUDA_FIND)
#undef AMPC_CUDA_FIND
  return AMPC_OK;
}

ampc_status ampc_rt_cuda_open(ampc_cuda_driver *driver, char *error) {
  memset(driver, 0, sizeof *driver);
  driver->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!driver->library)
    return ampc_rt_fail(error, AMPC_E_DEVICE,
                        "cuda: NVIDIA's driver (libcuda.so.1) is not installed");
  ampc_status status = findFunctions(driver, error);
  if (!status)
    status = ampc_rt_cuda_check(driver, driver->init(0), "the driver did not start", error);
  if (status)
    ampc_rt_cuda_close(driver);
  return status;
}

void ampc_rt_cuda_close(ampc_cuda_driver *driver) {
  if (driver->library)
    dlclose(driver->library);
  driver->library = NULL;
}

ampc_status ampc_rt_cuda_check(const ampc_cuda_driver *driver, int result, const char *what,
                               char *error) {
  if (!result)
    return AMPC_OK;
  const char *text = NULL;
  if (driver->error_string(result, &text) || !text)
    text = "unknown error";
  return ampc_rt_fail(error, AMPC_E_DEVICE, "cuda: %s: %s (error %d)", what, text, (int64_t)result);
}
