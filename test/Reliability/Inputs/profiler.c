/* Preloaded into a program: a profiler, whose handler of SIGPROF writes a byte to standard output.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <signal.h>
#include <unistd.h>

static void sample(int number) {
  (void)number;
  if (write(STDOUT_FILENO, "s", 1) != 1)
    _exit(99);
}

__attribute__((constructor)) static void install(void) { signal(SIGPROF, sample); }
