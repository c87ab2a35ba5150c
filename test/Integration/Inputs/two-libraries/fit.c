/* FIT trains the model of HEADER, whose functions begin with NAME, and returns the bits of its
   loss.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include HEADER
#include <stddef.h>

#define JOIN(a, b) a##b
#define OF(name, suffix) JOIN(name, suffix)

unsigned FIT(void);
unsigned FIT(void) {
  OF(NAME, _state) *state = NULL;
  float x[32];
  union {
    float loss;
    unsigned bits;
  } last = {0};
  if (OF(NAME, _create)(NULL, &state) != AMPC_OK)
    return 0;
  for (int i = 0; i < 32; ++i)
    x[i] = (float)(i % 7) / 7 - 0.4f;
  for (int step = 0; step < 50; ++step) {
    OF(NAME, _train_step_in) in = {.size = sizeof in, .x = x};
    ampc_train_out out = {.size = sizeof out};
    if (OF(NAME, _train_step)(state, &in, &out) != AMPC_OK)
      return 0;
    last.loss = out.loss;
  }
  OF(NAME, _destroy)(state);
  return last.bits;
}
