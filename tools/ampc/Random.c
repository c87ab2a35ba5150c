// Debian's LLVM takes arc4random from libc, the only symbol that asks for a libc of 2.36: with this
// one in the static program 2.35 is enough.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdint.h>
#include <sys/random.h>

uint32_t arc4random(void) {
  uint32_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits)
    ;
  return bits;
}
