// Trains RANKS ranks, as threads or with -DUSE_MPI as processes, and one process with as many
// micro-batches: all bits have to be equal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -DIGNORES: a third of the labels is -1. -DREAL=double: the model is of type f64.
// Usage: compare [inf|delay|refuse|flags|knob|rowless|gone|split]...
//   refuse   BAD_RANK has a null pointer in BAD_STEP
//   flags    BAD_RANK asks for a check of numbers in BAD_STEP
//   knob     BAD_RANK has another value of the knob `scale` in BAD_STEP
//   rowless  no rank has rows in BAD_STEP
//   gone     BAD_RANK ends before BAD_STEP
#include "all.h"
#ifdef USE_MPI
#include "ampc/Comm/MPI.h"
#else
#include "ampc/Comm/Threads.h"
#endif
#include "one.h"
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 4, WIDTH = 32, BATCH = ROWS * RANKS, STEPS = 12, BAD_STEP = 5, BAD_RANK = RANKS - 1 };

#ifndef REAL
#define REAL float
#endif
static REAL x[STEPS][BATCH][WIDTH];
static int32_t label[STEPS][BATCH];
static ampc_status wanted[STEPS];
static ampc_train_out expected[STEPS];
static one_state *one;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool has_inf, refuses, asks, turns, is_rowless, leaves, splits;
static int faults;

static void fault(int rank, const char *what, int step, const char *text) {
  pthread_mutex_lock(&lock);
  printf("rank %d: %s in step %d %s\n", rank, what, step, text);
  ++faults;
  pthread_mutex_unlock(&lock);
}

/* Uniform on [-1, 1). */
static float draw(void) {
  static uint64_t seed = 7;
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (float)(seed >> 40) / (1 << 23) - 1.0f;
}

static void makeData(void) {
  for (int step = 0; step < STEPS; ++step)
    for (int row = 0; row < BATCH; ++row) {
      for (int i = 0; i < WIDTH; ++i)
        x[step][row][i] = draw();
      label[step][row] = (int32_t)((draw() + 1) * 4.99f);
#ifdef IGNORES
      if ((step + row) % 3 == 0)
        label[step][row] = -1;
#endif
    }
  if (has_inf)
    x[BAD_STEP][BAD_RANK * ROWS + 1][3] = INFINITY;
}

/* A call that the ranks do not agree on changes nothing on any rank. */
static bool isRefused(int step) {
  return (refuses || asks || turns || is_rowless) && step == BAD_STEP;
}

static ampc_status refusalOf(int rank) {
  return is_rowless || (refuses && rank == BAD_RANK) ? AMPC_E_ARG : AMPC_E_PEER;
}

static void trainOne(void) {
  ampc_options options = {.size = sizeof options, .threads = 1, .seed = 3};
  if (one_create(&options, &one))
    exit(2);
  for (int step = 0; step < STEPS; ++step) {
    if (isRefused(step))
      continue;
    one_train_step_in in = {.size = sizeof in, .x = x[step][0], .label = label[step]};
    expected[step].size = sizeof expected[step];
    wanted[step] = one_train_step(one, &in, &expected[step]);
  }
}

static void compareTensors(int rank, all_state *state) {
  int equal = 0, count = one_tensor_count();
  for (int t = 0; t < count; ++t) {
    if (one_tensor_role(t) == AMPC_ROLE_GRADIENT)
      continue;
    const ampc_tensor *tensor = one_tensor(t);
    size_t bytes = (size_t)tensor->bytes;
    int other = all_find_tensor(tensor->name);
    void *a = malloc(bytes), *b = malloc(bytes);
    if (other < 0 || one_get(one, t, a, bytes) || all_get(state, other, b, bytes) ||
        memcmp(a, b, bytes))
      fault(rank, tensor->name, STEPS, "differs");
    else
      ++equal;
    free(a);
    free(b);
  }
  pthread_mutex_lock(&lock);
  printf("rank %d: %d tensors are equal\n", rank, equal);
  pthread_mutex_unlock(&lock);
}

static void checkStep(int rank, int step, ampc_status status, const ampc_train_out *out,
                      const char *error) {
  if (isRefused(step)) {
    if (status != refusalOf(rank))
      fault(rank, "another status", step, error);
    pthread_mutex_lock(&lock);
    printf("rank %d: %s\n", rank, error);
    pthread_mutex_unlock(&lock);
    return;
  }
  if (status != wanted[step])
    fault(rank, "another status", step, error);
  if (splits)
    return;
  const ampc_train_out *ref = &expected[step];
  if (memcmp(&out->loss, &ref->loss, sizeof out->loss))
    fault(rank, "another loss", step, error);
  if (out->found_inf != ref->found_inf || out->skipped != ref->skipped ||
      memcmp(&out->loss_scale, &ref->loss_scale, sizeof(float)) || out->step != ref->step ||
      memcmp(&out->grad_norm, &ref->grad_norm, sizeof(float)))
    fault(rank, "another report", step, error);
}

/* A rank that leaves makes the others fail, with the number of the exchange in the message. */
static bool endsEarly(int rank, int step, ampc_status status, const all_state *state) {
  if (!leaves || step < BAD_STEP)
    return false;
  if (rank == BAD_RANK)
    return true;
  if (status != AMPC_E_PEER)
    fault(rank, "no AMPC_E_PEER", step, all_last_error(state));
  pthread_mutex_lock(&lock);
  printf("%s\n", all_last_error(state));
  pthread_mutex_unlock(&lock);
  return true;
}

/* Gradients of all ranks, then the optimizer. */
static ampc_status trainSplit(all_state *state, const all_train_step_in *in) {
  all_grad_in grad_in = {.size = sizeof grad_in, .x = in->x, .label = in->label};
  all_apply_in apply_in = {.size = sizeof apply_in};
  ampc_status status = all_grad(state, &grad_in, NULL);
  return status < 0 ? status : all_apply(state, &apply_in, NULL);
}

/* Sets the knob `scale`. */
static void turn(int rank, all_state *state, float value) {
  if (all_set(state, all_find_tensor("scale"), &value, sizeof value))
    fault(rank, "scale", 0, all_last_error(state));
}

static void trainRank(const ampc_comm *comm) {
  int rank = comm->rank;
  char message[512] = "";
  ampc_options options = {.size = sizeof options,
                          .threads = 1 + rank % 2,
                          .seed = 3,
                          .want_split = splits,
                          .error = message,
                          .error_bytes = sizeof message,
                          .comm = comm,
                          .comm_seconds = leaves ? 1 : 0};
  all_state *state;
  if (all_create(&options, &state)) {
    fault(rank, "no state", 0, message);
    exit(2);
  }
  for (int step = 0; step < STEPS; ++step) {
    if (leaves && rank == BAD_RANK && step == BAD_STEP)
      break;
    all_train_step_in in = {
        .size = sizeof in, .x = x[step][rank * ROWS], .label = label[step] + rank * ROWS};
    if (isRefused(step) && is_rowless)
      in.flags = AMPC_RUN_NO_ROWS;
    else if (isRefused(step) && rank == BAD_RANK && asks)
      in.flags = AMPC_RUN_CHECK_FINITE;
    else if (isRefused(step) && rank == BAD_RANK && turns)
      turn(rank, state, 0.5f);
    else if (isRefused(step) && rank == BAD_RANK)
      in.x = NULL;
    ampc_train_out out = {.size = sizeof out};
    ampc_status status = splits ? trainSplit(state, &in) : all_train_step(state, &in, &out);
    if (endsEarly(rank, step, status, state))
      break;
    checkStep(rank, step, status, &out, all_last_error(state));
    if (turns && isRefused(step) && rank == BAD_RANK)
      turn(rank, state, 1);
  }
  if (!leaves)
    compareTensors(rank, state);
  all_destroy(state);
}

#ifdef USE_MPI
static void trainAll(bool delays) {
  (void)delays;
  ampc_comm comm;
  if (MPI_Init(NULL, NULL) || ampc_mpi_create(MPI_COMM_WORLD, &comm))
    exit(2);
  trainRank(&comm);
  ampc_mpi_destroy(&comm);
  MPI_Finalize();
}
#else
static void *trainThread(void *comm) {
  trainRank(comm);
  return NULL;
}

static void trainAll(bool delays) {
  ampc_threads *group = ampc_threads_create(RANKS);
  if (delays)
    ampc_threads_delay(group, 5, 16);
  pthread_t threads[RANKS];
  ampc_comm comms[RANKS];
  for (int rank = 0; rank < RANKS; ++rank) {
    comms[rank] = ampc_threads_comm(group, rank);
    pthread_create(&threads[rank], NULL, trainThread, &comms[rank]);
  }
  for (int rank = 0; rank < RANKS; ++rank)
    pthread_join(threads[rank], NULL);
  ampc_threads_destroy(group);
}
#endif

int main(int argc, char **argv) {
  bool delays = false;
  for (int i = 1; i < argc; ++i) {
    has_inf |= !strcmp(argv[i], "inf");
    refuses |= !strcmp(argv[i], "refuse");
    asks |= !strcmp(argv[i], "flags");
    turns |= !strcmp(argv[i], "knob");
    is_rowless |= !strcmp(argv[i], "rowless");
    leaves |= !strcmp(argv[i], "gone");
    splits |= !strcmp(argv[i], "split");
    delays |= !strcmp(argv[i], "delay");
  }
  makeData();
  trainOne();
  trainAll(delays);
  for (int step = 0; step < STEPS && has_inf; ++step)
    if (wanted[step])
      printf("step %d: status %d, scale %g\n", step, wanted[step], expected[step].loss_scale);
  one_destroy(one);
  puts(faults ? "bits differ" : "all bits are equal");
  return faults != 0;
}
