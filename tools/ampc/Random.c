// Replacement of arc4random, the only symbol of Debian's LLVM that needs glibc 2.36: with the
// replacement the static program runs on 2.35.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdint.h>
#include <sys/random.h>

uint32_t arc4random(void) {
  uint32_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits)
    ;
  return bits;
}
