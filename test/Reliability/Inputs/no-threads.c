/* pthread_create of a system near the limit of threads: THREADS more threads start.

   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*Create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *argument) {
  static atomic_int started;
  const char *most = getenv("THREADS");
  if (atomic_fetch_add(&started, 1) >= (most ? atoi(most) : 0)) {
    fputs("no thread\n", stderr);
    return EAGAIN;
  }
  return ((Create)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, start, argument);
}
