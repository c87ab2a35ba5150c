// Creates a state: code in a name would have run before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifdef __cplusplus
#include "names.hpp"
#else
#include "names.h"
#endif
#include <stdio.h>

int main(void) {
  names_state *state = NULL;
  printf("created %d\n", (int)names_create(NULL, &state));
  names_destroy(state);
  return 0;
}
