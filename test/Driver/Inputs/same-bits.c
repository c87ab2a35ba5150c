/* Prints the losses of a run as `ampc train --log` does: same-bits X.npy Y.npy STEPS SEED
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "softmax_regression.h"
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 48, BATCH = 12, FEATURES = 5 };

/* The file ends with the data. */
static int readEnd(const char *path, void *data, size_t bytes) {
  FILE *file = fopen(path, "rb");
  int good = file && !fseek(file, -(long)bytes, SEEK_END) && fread(data, 1, bytes, file) == bytes;
  if (file)
    fclose(file);
  return good;
}

int main(int argc, char **argv) {
  static float x[ROWS][FEATURES];
  static int32_t y[ROWS];
  if (argc != 5 || !readEnd(argv[1], x, sizeof x) || !readEnd(argv[2], y, sizeof y))
    return 2;
  ampc_options options = {.size = sizeof options, .seed = strtoull(argv[4], NULL, 10)};
  softmax_regression_state *state;
  if (softmax_regression_create(&options, &state))
    return 3;
  puts("step,loss");
  for (int i = 0; i < atoi(argv[3]); ++i) {
    int first = i * BATCH % ROWS;
    softmax_regression_train_step_in in = {.size = sizeof in, .x = x[first], .y = &y[first]};
    ampc_train_out out = {.size = sizeof out};
    if (softmax_regression_train_step(state, &in, &out))
      return 4;
    printf("%d,%.9g\n", i + 1, (double)out.loss);
  }
  softmax_regression_destroy(state);
  return 0;
}
