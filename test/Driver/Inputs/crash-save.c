/* Saves a new state, a number of times: crash-save FILE SEED TIMES
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "crash.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 4)
    return 2;
  ampc_options options = {.size = sizeof options, .seed = strtoull(argv[2], NULL, 10)};
  crash_state *state;
  if (crash_create(&options, &state))
    return 3;
  for (int i = 0; i < atoi(argv[3]); ++i)
    if (crash_save(state, argv[1])) {
      fprintf(stderr, "%s\n", crash_last_error(state));
      return 4;
    }
  crash_destroy(state);
  return 0;
}
