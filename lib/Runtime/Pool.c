// The default threads: workers that spin shortly, then sleep.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Runtime/Internal.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

/* Time of the spin before a sleep: bridges the gap between two kernels, yet frees the core soon. */
enum { SPIN_NS = 20000 };

uint64_t ampc_rt_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int32_t ampc_rt_cpu_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set))
    return 1;
  int32_t count = 0;
  const unsigned long *words = (const unsigned long *)&set;
  for (size_t i = 0; i < sizeof set / sizeof *words; ++i)
    for (unsigned long word = words[i]; word; word &= word - 1)
      ++count;
  return count < 1 ? 1 : count > AMPC_MAX_THREADS ? AMPC_MAX_THREADS : count;
}

/* Iteration i of a spin loop; false after SPIN_NS. `end`: 0 before the first deadline is set. */
static bool spinOnce(uint32_t i, uint64_t *end) {
  __builtin_ia32_pause();
  if (i % 64)
    return true;
  sched_yield(); /* the awaited thread may need this very processor */
  uint64_t now = ampc_rt_now_ns();
  if (!*end)
    *end = now + SPIN_NS;
  return now < *end;
}

/* Spins until *value differs from `old`; false after SPIN_NS. */
static bool spinWhile64(_Atomic uint64_t *value, uint64_t old) {
  uint64_t end = 0;
  for (uint32_t i = 1; atomic_load_explicit(value, memory_order_acquire) == old; ++i)
    if (!spinOnce(i, &end))
      return false;
  return true;
}

/* Waits for a job other than `seen`. A worker raises `sleepers` before the last load of `job`; the
   caller raises `job` before the load of `sleepers`. All four accesses are sequentially consistent,
   so the worker sees the job or the caller sees the sleeper: no wake-up is lost. */
static uint64_t awaitJob(ampc_rt_pool *pool, uint64_t seen) {
  if (spinWhile64(&pool->job, seen))
    return atomic_load(&pool->job);
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->sleepers, 1);
  while (atomic_load(&pool->job) == seen)
    pthread_cond_wait(&pool->start, &pool->mutex);
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->mutex);
  return atomic_load(&pool->job);
}

static void *work(void *argument) {
  ampc_rt_worker *self = argument;
  ampc_rt_pool *pool = self->pool;
  for (uint64_t seen = 0;;) {
    seen = awaitJob(pool, seen);
    if (atomic_load(&pool->quit))
      return NULL;
    pool->body(pool->argument, self->share);
    if (atomic_fetch_sub(&pool->left, 1) == 1 && atomic_load(&pool->caller_sleeps)) {
      pthread_mutex_lock(&pool->mutex);
      pthread_cond_signal(&pool->done);
      pthread_mutex_unlock(&pool->mutex);
    }
  }
}

static void postJob(ampc_rt_pool *pool) {
  atomic_fetch_add(&pool->job, 1);
  if (!atomic_load(&pool->sleepers))
    return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->start);
  pthread_mutex_unlock(&pool->mutex);
}

static void awaitWorkers(ampc_rt_pool *pool) {
  uint64_t end = 0;
  for (uint32_t i = 1; atomic_load_explicit(&pool->left, memory_order_acquire); ++i)
    if (!spinOnce(i, &end))
      break;
  if (!atomic_load(&pool->left))
    return;
  pthread_mutex_lock(&pool->mutex);
  atomic_store(&pool->caller_sleeps, 1);
  while (atomic_load(&pool->left))
    pthread_cond_wait(&pool->done, &pool->mutex);
  atomic_store(&pool->caller_sleeps, 0);
  pthread_mutex_unlock(&pool->mutex);
}

void ampc_rt_pool_run(ampc_rt_pool *pool, ampc_rt_body body, void *argument) {
  if (pool->lost) {
    for (int32_t share = 0; share <= pool->workers; ++share)
      body(argument, share);
    return;
  }
  if (pool->workers) {
    pool->body = body;
    pool->argument = argument;
    atomic_store(&pool->left, pool->workers);
    postJob(pool);
  }
  body(argument, 0);
  if (pool->workers)
    awaitWorkers(pool);
}

static void destroyLocks(ampc_rt_pool *pool) {
  pthread_mutex_destroy(&pool->mutex);
  pthread_cond_destroy(&pool->start);
  pthread_cond_destroy(&pool->done);
}

void ampc_rt_pool_stop(ampc_rt_pool *pool) {
  if (!pool->threads || pool->lost)
    return;
  atomic_store(&pool->quit, 1);
  postJob(pool);
  for (int32_t i = 0; i < pool->workers; ++i)
    pthread_join(pool->threads[i].thread, NULL);
  destroyLocks(pool);
  pool->threads = NULL;
}

/* Sets `one` to the processor with index `number` in `all`, e.g. {2, 3, 6}, 1 -> {3}. */
static void choose(const cpu_set_t *all, int32_t number, cpu_set_t *one) {
  CPU_ZERO(one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, all) && number-- == 0)
      CPU_SET(cpu, one);
}

static ampc_status pinWorkers(const ampc_rt_pool *pool, char *error) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all))
    return ampc_rt_fail(error, AMPC_E_ARG, "could not query the processors to pin threads to: %s",
                        ampc_rt_errno_text(errno));
  for (int32_t i = 0; i < pool->workers; ++i) {
    choose(&all, pool->threads[i].share, &one);
    int failed = pthread_setaffinity_np(pool->threads[i].thread, sizeof one, &one);
    if (failed)
      return ampc_rt_fail(error, AMPC_E_ARG, "could not pin thread %d: %s", (int64_t)i + 1,
                          ampc_rt_errno_text(failed));
  }
  return AMPC_OK;
}

/* Signals of the host go to the host's threads: a handler on a worker would run on an unknown stack
   and delay a step. Signals that a thread causes itself (SIGSEGV, ...) stay unblocked. */
static void blockSignals(sigset_t *before) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigset_t all;
  sigfillset(&all);
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
    sigdelset(&all, own[i]);
  pthread_sigmask(SIG_SETMASK, &all, before);
}

static bool startWorker(ampc_rt_worker *worker) {
  sigset_t before;
  blockSignals(&before);
  int failed = pthread_create(&worker->thread, NULL, work, worker);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return !failed;
}

ampc_status ampc_rt_pool_start(ampc_rt_pool *pool, int32_t workers, ampc_rt_worker *threads,
                               bool pin, char *error) {
  if (!workers)
    return AMPC_OK;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->start, NULL);
  pthread_cond_init(&pool->done, NULL);
  pool->threads = threads;
  for (int32_t i = 0; i < workers; ++i) {
    threads[i].pool = pool;
    threads[i].share = i + 1;
    if (!startWorker(&threads[i])) {
      ampc_rt_pool_stop(pool);
      return ampc_rt_fail(error, AMPC_E_MEMORY, "could not start thread %d of %d", (int64_t)i + 1,
                          (int64_t)workers);
    }
    pool->workers = i + 1;
  }
  return pin ? pinWorkers(pool, error) : AMPC_OK;
}
