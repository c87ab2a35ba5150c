/* A host that saves or loads once: faults save FILE SEED | closed FILE SEED | load FILE GOOD |
   weights FILE GOOD
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   `closed`: a save by a host without standard streams, which writes to all three during the save.
   The two files of a load are equal. If the first load fails, the state is unchanged. */
#include "faults.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t hashOf(faults_state *state) {
  uint64_t hash = 1469598103934665603u;
  for (int i = 0; i < faults_tensor_count(); ++i) {
    const unsigned char *data = faults_tensor_data(state, i);
    if (faults_tensor_role(i) != AMPC_ROLE_GRADIENT)
      for (int64_t k = 0; k < faults_tensor(i)->bytes; ++k)
        hash = (hash ^ data[k]) * 0x100000001b3u;
  }
  return hash;
}

static void *writeAlways(void *argument) {
  for (;;)
    for (int stream = 0; stream < 3; ++stream)
      if (write(stream, "message", 7) < 0)
        usleep(1);
  return argument;
}

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  pthread_t thread;
  if (!strcmp(argv[1], "closed") && pthread_create(&thread, NULL, writeAlways, NULL))
    return 2;
  int weights = !strcmp(argv[1], "weights"), saves = !weights && strcmp(argv[1], "load");
  int flags = weights ? AMPC_LOAD_WEIGHTS : 0;
  ampc_options options = {.size = sizeof options, .threads = 1};
  options.seed = saves ? strtoull(argv[3], NULL, 10) : 99;
  faults_state *state, *good;
  if (faults_create(&options, &state) || faults_create(&options, &good))
    return 3;
  uint64_t before = hashOf(state);
  if (!saves && faults_load(good, argv[3], flags))
    return 3;
  ampc_status status = saves ? faults_save(state, argv[2]) : faults_load(state, argv[2], flags);
  if (hashOf(state) != (status || saves ? before : hashOf(good))) {
    fprintf(stderr, "not so: the state is the old one or that of the file\n");
    return 5;
  }
  if (status)
    fprintf(stderr, "%s\n", faults_last_error(state));
  return status ? 4 : 0;
}
