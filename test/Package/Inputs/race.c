/* Trains a state in two threads, which the header forbids: a model compiled with the thread
   sanitizer must report a race.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "line.h"
#include <pthread.h>
#include <string.h>

static line_state *state;

static void *train(void *unused) {
  const float x[8] = {0};
  const int32_t label[8] = {0};
  line_train_step_in in;
  int i;
  memset(&in, 0, sizeof in);
  in.size = sizeof in;
  in.x = x;
  in.size_ = label;
  for (i = 0; i < 100; ++i)
    line_train_step(state, &in, NULL);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t thread;
  ampc_options options;
  int i;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  options.threads = argc > 1 ? 3 : 1; /* the library's own threads must not race */
  options.shares =
      argc > 1 && !strcmp(argv[1], "dynamic") ? AMPC_SHARES_DYNAMIC : AMPC_SHARES_FIXED;
  for (i = 0; argc > 1 && i < 20; ++i) { /* each fills its state on all threads */
    if (line_create(&options, &state))
      return 1;
    line_destroy(state);
  }
  if (line_create(&options, &state))
    return 1;
  if (argc > 1) /* with an argument, one thread after the other: no race */
    train(NULL);
  pthread_create(&thread, NULL, train, NULL);
  if (argc == 1)
    train(NULL);
  pthread_join(thread, NULL);
  line_destroy(state);
  return 0;
}
