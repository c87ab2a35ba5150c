/* Fits a plane to noisy points: the smallest complete use of a compiled model, in C99.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "regression.h"
#include <stdio.h>

enum { ROWS = 32, STEPS = 200 };

/* Uniform on [-1, 1), from a linear congruential generator (constants of Knuth's MMIX). */
static float uniform(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (float)(*seed >> 40) / (1 << 23) - 1.0f;
}

/* Points of y = 3 x0 - 2 x1 + 0.5, off by at most 0.05. */
static void draw(uint64_t *seed, float *x, float *y) {
  for (int row = 0; row < ROWS; ++row) {
    x[2 * row] = uniform(seed);
    x[2 * row + 1] = uniform(seed);
    y[row] = 3.0f * x[2 * row] - 2.0f * x[2 * row + 1] + 0.5f + 0.05f * uniform(seed);
  }
}

int main(void) {
  float x[ROWS * 2], y[ROWS];
  uint64_t seed = 1;
  char message[256] = "";
  ampc_options options = {
      .size = sizeof options, .seed = 1, .error = message, .error_bytes = sizeof message};
  regression_state *state;
  if (regression_create(&options, &state) != AMPC_OK) {
    fprintf(stderr, "regression: %s\n", message);
    return 1;
  }
  regression_train_step_in in = {.size = sizeof in, .x = x, .y = y};
  ampc_train_out out = {.size = sizeof out};
  ampc_status status = AMPC_OK;
  for (int step = 0; step < STEPS && status == AMPC_OK; ++step) {
    draw(&seed, x, y);
    status = regression_train_step(state, &in, &out);
    if ((step + 1) % 50 == 0)
      printf("step %3d  loss %.5f\n", step + 1, out.loss);
  }
  /* Rows (0, 0), (1, 0) and (0, 1) give away the three coefficients; the last rows do not count. */
  float probe[ROWS * 2] = {0, 0, 1, 0, 0, 1}, plane[ROWS];
  regression_predict_in ask = {.size = sizeof ask, .valid = 3, .x = probe};
  regression_predict_out answer = {.size = sizeof answer, .out = plane};
  if (status == AMPC_OK)
    status = regression_predict(state, &ask, &answer);
  if (status == AMPC_OK)
    printf("y = %.2f x0 + %.2f x1 + %.2f\n", plane[1] - plane[0], plane[2] - plane[0], plane[0]);
  else
    fprintf(stderr, "regression: %s\n", regression_last_error(state));
  regression_destroy(state);
  return status != AMPC_OK;
}
