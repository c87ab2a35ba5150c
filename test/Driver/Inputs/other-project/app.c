/* Finds the rate of a decay in single and in double precision.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "decay.h"
#include "decay64.h"
#include <stdio.h>

/* exp(-t / 2) */
#define FIND(NAME, REAL)                                                                           \
  static int find_##NAME(void) {                                                                   \
    REAL t[4] = {0, 1, 2, 3};                                                                      \
    REAL y[4] = {1, (REAL)0.6065306597126334, (REAL)0.36787944117144233,                           \
                 (REAL)0.22313016014842982};                                                       \
    NAME##_state *state;                                                                           \
    if (NAME##_create(NULL, &state) != AMPC_OK)                                                    \
      return 1;                                                                                    \
    NAME##_train_step_in in = {.size = sizeof in, .t = t, .y = y};                                 \
    ampc_train_out out = {.size = sizeof out};                                                     \
    for (int step = 0; step < 300; ++step)                                                         \
      if (NAME##_train_step(state, &in, &out) != AMPC_OK)                                          \
        return 1;                                                                                  \
    const REAL *k = NAME##_tensor_data(state, NAME##_find_tensor("k"));                            \
    printf("k = %.12f\n", (double)k[0]);                                                           \
    NAME##_destroy(state);                                                                         \
    return 0;                                                                                      \
  }
FIND(decay, float)
FIND(decay64, double)

int main(void) { return find_decay() || find_decay64(); }
