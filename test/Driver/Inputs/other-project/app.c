/* Finds the rate of a decay in single or double precision.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "decay.h"
#include <stdio.h>

#ifndef REAL
#define REAL float
#endif

int main(void) {
  /* exp(-t / 2) */
  REAL t[4] = {0, 1, 2, 3};
  REAL y[4] = {1, (REAL)0.6065306597126334, (REAL)0.36787944117144233, (REAL)0.22313016014842982};
  decay_state *state;
  if (decay_create(NULL, &state) != AMPC_OK)
    return 1;
  decay_train_step_in in = {.size = sizeof in, .t = t, .y = y};
  ampc_train_out out = {.size = sizeof out};
  for (int step = 0; step < 300; ++step)
    if (decay_train_step(state, &in, &out) != AMPC_OK)
      return 1;
  const REAL *k = decay_tensor_data(state, decay_find_tensor("k"));
  printf("k = %.12f\n", (double)k[0]);
  decay_destroy(state);
  return 0;
}
