/* Hosts that set floating-point modes, fork, have little stack, block signals, allocate badly:
   hosts CASE FOLDER SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE
#include "hosts.h"
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xmmintrin.h>

enum { BATCH = 64, WIDTH = 256, CLASSES = 16 };
static float x[BATCH * WIDTH];
static char path[4096];

static void expect(int holds, const char *what) {
  if (holds)
    return;
  printf("not so: %s\n", what);
  exit(1);
}

static void makeData(void) {
  for (int i = 0; i < BATCH * WIDTH; ++i)
    x[i] = (float)(i * 37 % 101) / 101 - 0.5f;
}

static hosts_state *createWith(ampc_options options) {
  char error[512] = "";
  options.size = sizeof options;
  options.seed = 7;
  options.error = error;
  options.error_bytes = sizeof error;
  hosts_state *state = NULL;
  if (hosts_create(&options, &state))
    printf("create: %s\n", error);
  return state;
}
static hosts_state *create(int threads) { return createWith((ampc_options){.threads = threads}); }

static ampc_status step(hosts_state *state, ampc_train_out *out) {
  hosts_train_step_in in = {.size = sizeof in, .x = x};
  out->size = sizeof *out;
  return hosts_train_step(state, &in, out);
}

static uint64_t hashOf(hosts_state *state) {
  uint64_t hash = 1469598103934665603u;
  for (int i = 0; i < hosts_tensor_count(); ++i) {
    if (hosts_tensor_role(i) == AMPC_ROLE_GRADIENT)
      continue;
    const unsigned char *data = hosts_tensor_data(state, i);
    for (int64_t k = 0; k < hosts_tensor(i)->bytes; ++k)
      hash = (hash ^ data[k]) * 0x100000001b3u;
  }
  return hash;
}

/* First values, three steps and a load. */
static uint64_t trained(hosts_state *state, uint64_t *first) {
  ampc_train_out out;
  *first = hashOf(state);
  for (int i = 0; i < 3; ++i)
    expect(step(state, &out) == AMPC_OK, "a step runs");
  expect(hosts_save(state, path) == AMPC_OK && hosts_load(state, path, 0) == AMPC_OK,
         "a state is saved and loaded");
  expect(step(state, &out) == AMPC_OK, "a step runs after a load");
  return hashOf(state);
}

/* A scheduler whose threads have environments of their own. */
static void mixed(void *context, int32_t count, void (*body)(void *, int32_t), void *argument) {
  const unsigned modes[] = {0x1f80, 0x5f80, 0x3f80, 0x9fc0};
  unsigned before = _mm_getcsr();
  (void)context;
  for (int i = 0; i < count; ++i) {
    _mm_setcsr(modes[i % 4]);
    body(argument, i);
  }
  _mm_setcsr(before);
}

static void environments(void) {
  const unsigned modes[] = {0x1f80,  /* the default */
                            0x5f80,  /* upward */
                            0x3f80,  /* downward */
                            0x7f80,  /* toward zero */
                            0x9fc0,  /* denormals flushed */
                            0x0000,  /* all exceptions are traps */
                            0xc040}; /* traps, toward zero, and flushed */
  uint64_t first = 0, last = 0;
  for (unsigned m = 0; m < sizeof modes / sizeof *modes; ++m)
    for (int threads = 1; threads <= 4; threads += 3)
      for (int schedules = 0; schedules < 2; ++schedules) {
        ampc_options options = {.threads = threads, .parallel_for = schedules ? mixed : NULL};
        uint64_t begin, end;
        _mm_setcsr(modes[m]);
        hosts_state *state = createWith(options);
        end = trained(state, &begin);
        unsigned after = _mm_getcsr();
        _mm_setcsr(0x1f80);
        expect((after & 0xffc0) == modes[m], "the host's environment is as it was");
        hosts_destroy(state);
        if (!first)
          first = begin, last = end;
        if (begin != first || end != last)
          printf("mode %x, %d threads, scheduler %d\n", modes[m], threads, schedules);
        expect(begin == first, "first values do not depend on the host's environment");
        expect(end == last, "steps do not depend on the host's environment");
      }
  puts("7 environments, one result");
}

static void forks(void) {
  for (int threads = 1; threads <= 4; threads *= 2) {
    hosts_state *state = create(threads);
    ampc_train_out out;
    expect(step(state, &out) == AMPC_OK, "a step runs");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      uint64_t first, hash = trained(state, &first);
      static float y[BATCH * CLASSES];
      hosts_predict_in in = {.size = sizeof in, .x = x};
      hosts_predict_out result = {.size = sizeof result, .out = y};
      expect(hosts_predict(state, &in, &result) == AMPC_OK, "the child predicts");
      hosts_destroy(state);
      hosts_state *fresh = create(threads);
      expect(fresh && step(fresh, &out) == AMPC_OK, "the child has states of its own");
      hosts_destroy(fresh);
      FILE *file = fopen(strcat(path, ".child"), "wb");
      fwrite(&hash, sizeof hash, 1, file);
      fclose(file);
      fflush(stdout);
      _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child of fork ends");
    uint64_t first, hash = trained(state, &first), childs = 0;
    char name[4200];
    snprintf(name, sizeof name, "%s.child", path);
    FILE *file = fopen(name, "rb");
    expect(file && fread(&childs, sizeof childs, 1, file) == 1, "the child has a result");
    fclose(file);
    expect(hash == childs, "parent and child compute the same");
    hosts_destroy(state);
  }
  puts("children of fork compute what their parents compute");
}

enum { STACK = 1 << 18, FILLING = 0xa5 };
static unsigned char *stack;
static size_t used;
static void measure(unsigned char *top) {
  unsigned char *low = stack;
  while (*low == FILLING)
    ++low;
  used = (size_t)(top - low);
}
static void *callAll(void *argument) {
  unsigned char here = 0;
  uint64_t first;
  hosts_state *state = create(*(int *)argument);
  trained(state, &first);
  hosts_destroy(state);
  measure(&here);
  return NULL;
}
static void stacks(void) {
  stack = aligned_alloc(4096, STACK);
  for (int threads = 1; threads <= 2; ++threads) {
    memset(stack, FILLING, STACK);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, STACK);
    pthread_t thread;
    expect(pthread_create(&thread, &attributes, callAll, &threads) == 0, "a thread starts");
    pthread_join(thread, NULL);
    fprintf(stderr, "%zu bytes of stack\n", used);
    expect(used <= 16384, "create, step, save and load need at most 16 KiB of stack");
  }
  puts("at most 16 KiB of stack");
}

static volatile sig_atomic_t handled;
static void noteSignal(int number) { handled = number; }
static void signals(void) {
  hosts_state *state = create(4);
  ampc_train_out out;
  signal(SIGUSR1, noteSignal);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  kill(getpid(), SIGUSR1);
  for (int i = 0; i < 20; ++i)
    step(state, &out);
  usleep(100000);
  expect(!handled, "no thread of the library runs a handler of the host");
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  expect(handled == SIGUSR1, "the host's thread does");
  hosts_destroy(state);
  puts("signals stay with the host's threads");
}

static int released;
static void *misaligned(void *context, size_t bytes) {
  return (char *)aligned_alloc(64, (bytes + 191) / 64 * 64) + *(int *)context;
}
static void release(void *context, void *memory) {
  ++released;
  free((char *)memory - *(int *)context);
}
static void allocators(void) {
  for (int offset = 1; offset <= 64; offset += offset < 4 ? 3 : 4) {
    char error[512] = "";
    ampc_options options = {.size = sizeof options,
                            .threads = 2,
                            .allocate = misaligned,
                            .release = release,
                            .allocator_context = &offset,
                            .error = error,
                            .error_bytes = sizeof error};
    hosts_state *state = NULL;
    released = 0;
    ampc_status status = hosts_create(&options, &state);
    if (offset == 64) {
      expect(status == AMPC_OK, "aligned memory is taken");
      hosts_destroy(state);
    } else {
      expect(status == AMPC_E_ARG && !state && strstr(error, "aligned to 64 bytes"),
             "misaligned memory is refused in words");
    }
    expect(released == 1, "memory is given back once");
  }
  puts("misaligned memory is refused");
}

/* Schedulers of hosts: shares in reverse, a thread per share, and on a single thread between steps
   of another state. */
static void backwards(void *context, int32_t count, void (*body)(void *, int32_t), void *argument) {
  (void)context;
  for (int32_t i = count - 1; i >= 0; --i)
    body(argument, i);
}

typedef struct {
  void (*body)(void *, int32_t);
  void *argument;
  int32_t share;
} Share;
static void *runShare(void *argument) {
  Share *share = argument;
  share->body(share->argument, share->share);
  return NULL;
}
static void spawned(void *context, int32_t count, void (*body)(void *, int32_t), void *argument) {
  pthread_t threads[64];
  Share shares[64];
  (void)context;
  for (int32_t i = 0; i < count; ++i) {
    shares[i] = (Share){body, argument, i};
    expect(pthread_create(&threads[i], NULL, runShare, &shares[i]) == 0, "a thread starts");
  }
  for (int32_t i = count - 1; i >= 0; --i)
    pthread_join(threads[i], NULL);
}

static hosts_state *inner;
static void nested(void *context, int32_t count, void (*body)(void *, int32_t), void *argument) {
  (void)context;
  ampc_train_out out;
  for (int32_t i = 0; i < count; ++i) {
    if (i % 2 == 0)
      expect(step(inner, &out) == AMPC_OK, "a step of another state inside a share");
    body(argument, i);
  }
}

static void schedules(void) {
  const ampc_parallel_for schedulers[] = {NULL, backwards, spawned, nested};
  uint64_t first = 0, last = 0;
  inner = create(2);
  for (int s = 0; s < 4; ++s)
    for (int threads = 2; threads <= 5; threads += 3) {
      uint64_t begin;
      hosts_state *state =
          createWith((ampc_options){.threads = threads, .parallel_for = schedulers[s]});
      uint64_t end = trained(state, &begin);
      hosts_destroy(state);
      if (!first)
        first = begin, last = end;
      expect(begin == first && end == last, "results do not depend on the host's scheduler");
    }
  hosts_destroy(inner);
  puts("4 schedulers, one result");
}

static void counters(void) {
  const int64_t starts[] = {0, (1ll << 24) + 1, (1ll << 53) + 1, (1ll << 62) - 2};
  hosts_state *state = create(1);
  ampc_train_out out;
  for (unsigned i = 0; i < 4; ++i) {
    expect(hosts_set(state, hosts_find_tensor("fit.step"), &starts[i], 8) == AMPC_OK,
           "a counter is set");
    expect(step(state, &out) == AMPC_OK, "a step runs");
    expect(out.step == (uint64_t)starts[i] + 1, "out.step is the number of updates");
  }
  hosts_destroy(state);
  puts("exact counters");
}

typedef struct {
  hosts_state *state;
  ampc_status inside, behind;
} Saves;
static void saveInSpan(void *context, const char *name, uint64_t begin, uint64_t end) {
  Saves *saves = context;
  (void)name, (void)begin, (void)end;
  saves->inside = hosts_save(saves->state, path);
}
static void saveInStep(void *context, const ampc_train_out *out) {
  Saves *saves = context;
  (void)out;
  saves->behind = hosts_save(saves->state, path);
}
static void *trainAlways(void *argument) {
  Saves *saves = argument;
  ampc_train_out out;
  while (!saves->inside)
    step(saves->state, &out);
  return NULL;
}
static void changes(void) {
  Saves saves = {.state = create(2)};
  ampc_train_out out;
  hosts_set_hooks(
      saves.state,
      &(ampc_hooks){.size = sizeof(ampc_hooks), .context = &saves, .on_span = saveInSpan});
  expect(step(saves.state, &out) == AMPC_OK && saves.inside == AMPC_E_ARG, "no save inside a step");
  expect(access(path, F_OK) != 0, "no file is left");
  hosts_set_hooks(
      saves.state,
      &(ampc_hooks){.size = sizeof(ampc_hooks), .context = &saves, .on_step = saveInStep});
  expect(step(saves.state, &out) == AMPC_OK && saves.behind == AMPC_OK, "a save in on_step");
  hosts_set_hooks(saves.state, NULL);
  hosts_state *other = create(1);
  expect(hosts_load(other, path, 0) == AMPC_OK && hashOf(other) == hashOf(saves.state),
         "has the state behind the step");
  /* A host that violates the rule that calls of a state must not overlap. */
  pthread_t thread;
  saves.inside = AMPC_OK;
  pthread_create(&thread, NULL, trainAlways, &saves);
  int saved = 0, refused = 0;
  for (int i = 0; i < 200; ++i) {
    ampc_status status = hosts_save(saves.state, path);
    expect(status == AMPC_OK || status == AMPC_E_ARG, "a save beside steps works or is refused");
    saved += status == AMPC_OK, refused += status != AMPC_OK;
    expect(hosts_load(other, path, 0) == AMPC_OK, "every file that was saved is whole");
  }
  saves.inside = AMPC_E_ARG;
  pthread_join(thread, NULL);
  fprintf(stderr, "%d saved, %d refused\n", saved, refused);
  expect(refused > 0, "some saves are refused");
  puts("no file of a state that changed");
}

int main(int argc, char **argv) {
  const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {{"environments", environments}, {"forks", forks},           {"stacks", stacks},
               {"signals", signals},           {"allocators", allocators}, {"schedules", schedules},
               {"counters", counters},         {"changes", changes}};
  expect(argc == 3, "hosts CASE FOLDER");
  snprintf(path, sizeof path, "%s/%s.st", argv[2], argv[1]);
  makeData();
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (!strcmp(argv[1], cases[i].name))
      cases[i].run();
  return 0;
}
