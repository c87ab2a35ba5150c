/* Preloaded into a program: 1200 seconds pass in each.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  static time_t start;
  if (!real)
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, now);
  if (result || clock != CLOCK_MONOTONIC)
    return result;
  if (!start)
    start = now->tv_sec;
  long long passed = ((long long)(now->tv_sec - start) * 1000000000 + now->tv_nsec) * 1200;
  now->tv_sec = start + passed / 1000000000;
  now->tv_nsec = passed % 1000000000;
  return 0;
}
