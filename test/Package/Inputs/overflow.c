/* Gives a model an input that is too short: a model compiled with the address sanitizer must
   notice.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "line.h"
#include <stdlib.h>
#include <string.h>

int main(void) {
  float *x = malloc(7 * sizeof *x), y[8];
  line_state *state = NULL;
  line_predict_in in;
  line_predict_out out;
  memset(x, 0, 7 * sizeof *x);
  memset(&in, 0, sizeof in);
  in.size = sizeof in;
  in.x = x;
  out.size = sizeof out;
  out.y = y;
  return line_create(NULL, &state) || line_predict(state, &in, &out);
}
