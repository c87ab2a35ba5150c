// Trains on rows that depend on the rank.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ampc/Comm/MPI.h>
#include <classes.h>
#include <stdio.h>

enum { STEPS = 20, BATCH = 8, WIDTH = 16 };

static void fill(float x[BATCH][WIDTH], int32_t y[BATCH], int rank) {
  for (int i = 0; i < BATCH; ++i) {
    y[i] = (i + rank) % 10;
    for (int j = 0; j < WIDTH; ++j)
      x[i][j] = j == y[i];
  }
}

static int train(classes_state *state, int rank) {
  static float x[BATCH][WIDTH];
  static int32_t y[BATCH];
  ampc_train_out out = {.size = sizeof out};
  classes_train_step_in in = {.size = sizeof in, .x = x[0], .y = y};
  fill(x, y, rank);
  for (int step = 0; step < STEPS; ++step) {
    if (classes_train_step(state, &in, &out))
      return fprintf(stderr, "%s\n", classes_last_error(state)), 1;
    if (step == 0 || step == STEPS - 1)
      printf("rank %d, step %d: loss %.9g\n", rank, step, out.loss);
  }
  return 0;
}

int main(int argc, char **argv) {
  ampc_comm comm;
  classes_state *state;
  MPI_Init(&argc, &argv);
  if (ampc_mpi_create(MPI_COMM_WORLD, &comm))
    return 1;
  char reason[200];
  ampc_options options = {.size = sizeof options,
                          .error = reason,
                          .error_bytes = sizeof reason,
                          .seed = 1,
                          .comm = &comm};
  if (classes_create(&options, &state))
    return fprintf(stderr, "%s\n", reason), 1;
  int result = train(state, comm.rank);
  classes_destroy(state);
  ampc_mpi_destroy(&comm);
  MPI_Finalize();
  return result;
}
