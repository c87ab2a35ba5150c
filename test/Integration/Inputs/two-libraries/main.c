/* Two fits in a program, or a single fit.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>

unsigned first(void);
unsigned second(void);

int main(void) {
#ifndef SECOND_ONLY
  printf("first %08x\n", first());
#endif
#ifndef FIRST_ONLY
  printf("second %08x\n", second());
#endif
  return 0;
}
