/* A state on a device with a stream of another device.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cuda.h"
#include "plane.h"
#include <stdio.h>

int main(void) {
  void *context, *stream;
  char message[256] = "";
  plane_state *state = NULL;
  if (cuInit(0) || cuCtxCreate_v2(&context, 0, 1) || cuStreamCreate(&stream, 0))
    return 1;
  ampc_options options = {.size = sizeof options,
                          .device = "cuda:0",
                          .stream = stream,
                          .error = message,
                          .error_bytes = sizeof message};
  ampc_status status = plane_create(&options, &state);
  puts(message);
  cuStreamDestroy_v2(stream);
  cuCtxDestroy_v2(context);
  return status != AMPC_E_ARG;
}
