// A host whose functions throw, which the interface forbids: the process ends before the exception
// gets out of the library, so that no call of a state is left half done: throws FOLDER
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hosts.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

static float x[64 * 256];

/// The call of the host's function that throws; 0: none.
static int fatal = 0, calls = 0;
static void count() {
  if (++calls == fatal)
    throw std::bad_alloc();
}
static void onStep(void *, const ampc_train_out *) { count(); }
static void onSpan(void *, const char *, uint64_t, uint64_t) { count(); }
static void *allocate(void *, size_t bytes) {
  count();
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void release(void *, void *memory) { free(memory); }
static void inTurn(void *, int32_t shares, void (*body)(void *, int32_t), void *argument) {
  for (int32_t share = 0; share < shares; ++share) {
    body(argument, share);
    count();
  }
}

static void train(const char *kind, int steps, const std::string &path) {
  std::string name = kind;
  ampc_options options = {};
  options.size = sizeof options;
  options.threads = 3;
  options.hooks.size = sizeof options.hooks;
  options.hooks.on_step = name == "on_step" ? onStep : nullptr;
  options.hooks.on_span = name == "on_span" ? onSpan : nullptr;
  if (name == "allocate") {
    options.allocate = allocate;
    options.release = release;
  }
  options.parallel_for = name == "parallel_for" ? inTurn : nullptr;
  hosts_state *state = nullptr;
  if (hosts_create(&options, &state))
    _exit(3);
  hosts_train_step_in in = {};
  in.size = sizeof in;
  in.x = x;
  ampc_train_out out = {};
  out.size = sizeof out;
  for (int step = 0; step < steps; ++step)
    if (hosts_train_step(state, &in, &out) || hosts_save(state, path.c_str()))
      _exit(4);
  hosts_destroy(state);
}

/// The status of a child that trains, and whose host throws in the given call.
static int statusOf(const char *kind, int call, const std::string &path) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    fatal = call;
    try {
      train(kind, 4, path);
    } catch (...) {
      _exit(5);
    }
    _exit(calls ? 0 : 6);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int main(int, char **argv) {
  for (int i = 0; i < 64 * 256; ++i)
    x[i] = float(i * 37 % 101) / 101 - 0.5f;
  std::string path = std::string(argv[1]) + "/throws.st";
  for (const char *kind : {"on_step", "on_span", "allocate", "parallel_for"})
    for (int call : {0, 1, 3}) {
      int status = statusOf(kind, call, path);
      bool reached = call != 0 && (call == 1 || std::string(kind) != "allocate");
      bool ended = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
      if (reached ? !ended : status != 0) {
        printf("not so: %s that throws in call %d: status %d\n", kind, call, status);
        return 1;
      }
    }
  puts("what throws ends the process");
}
