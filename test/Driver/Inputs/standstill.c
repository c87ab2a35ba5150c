/* A training at a standstill, observed by a C program.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "stuck.h"
#include <stdio.h>

static float x[32], y[32];

static void onLog(void *context, const char *message) {
  if (*(int *)context)
    printf("log: %s\n", message);
}

static ampc_status step(stuck_state *state, ampc_train_out *out) {
  stuck_train_step_in in = {.size = sizeof in, .x = x, .y = y};
  return stuck_train_step(state, &in, out);
}

static stuck_state *create(ampc_options options) {
  stuck_state *state = NULL;
  options.size = sizeof options;
  options.threads = 1;
  return stuck_create(&options, &state) ? NULL : state;
}

int main(void) {
  int running = 0;
  ampc_options options = {
      .hooks = {.size = sizeof(ampc_hooks), .context = &running, .on_log = onLog}};
  stuck_state *state = create(options);
  ampc_train_out out = {.size = sizeof out};
  running = 1;
  for (int i = 0; i < 32; ++i) {
    x[i] = 1;
    y[i] = 100;
  }
  setvbuf(stdout, NULL, _IONBF, 0);
  for (int i = 1; i <= 25; ++i) {
    if (i == 20)
      printf("step 20: in a row 20, status 1: %s\n", stuck_status_string(AMPC_W_STEP_SKIPPED));
    ampc_status status = step(state, &out);
    if (status != AMPC_W_STEP_SKIPPED || (int)out.skipped_in_row != i)
      printf("WRONG: step %d: in a row %d, status %d\n", i, (int)out.skipped_in_row, (int)status);
    if (i == 25)
      printf("step 25: in a row %d, status %d\n", (int)out.skipped_in_row, (int)status);
  }
  stuck_destroy(state);

  running = 0;
  options.skip_limit = 3;
  state = create(options);
  printf("limit 3: status ");
  for (int i = 1; i <= 4; ++i)
    printf(i < 4 ? "%d, " : "%d", (int)step(state, &out));
  printf(": %s\n", stuck_last_error(state));
  for (int i = 0; i < 32; ++i)
    y[i] = 16; /* the model's output: all gradients are 0 */
  ampc_status good = step(state, &out);
  printf("a good step: in a row %d, status %d\n", (int)out.skipped_in_row, (int)good);
  out.size = offsetof(ampc_train_out, skipped_in_row);
  out.skipped_in_row = 77;
  step(state, &out);
  printf("an older report: in a row %d\n", (int)out.skipped_in_row);
  stuck_destroy(state);
  return 0;
}
