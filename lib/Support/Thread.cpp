// Threads of ampc's programs: the size of their stacks, and whether the system starts more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Thread.h"
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <vector>

using namespace ampc;

/// Five times the need of a model of 1000 nested regions, 3 KiB for each; a chain of 10 000 ops
/// needs 72 KiB.
static constexpr size_t stackBytes = size_t(16) << 20;

// Sanitizers know the stack of a thread from its beginning.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static constexpr bool mayChangeStack = false;
#elif defined(__has_feature)
static constexpr bool mayChangeStack = !__has_feature(address_sanitizer) &&
                                       !__has_feature(thread_sanitizer) &&
                                       !__has_feature(memory_sanitizer);
#else
static constexpr bool mayChangeStack = true;
#endif

namespace {
struct Program {
  int (*run)(int argc, char **argv);
  int argc;
  char **argv;
};
} // namespace

/// The first function on the new stack. makecontext() passes numbers of type int alone: the halves
/// of the program's address.
static void runProgram(unsigned high, unsigned low) {
  auto address = uintptr_t(uint64_t(high) << 32 | low);
  auto *program = reinterpret_cast<Program *>(address);
  // Destructors of static variables run on this stack, too.
  std::exit(program->run(program->argc, program->argv));
}

/// The lowest page of a stack is closed, so that an overflow ends the process.
static void *newStack() {
  void *stack = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED || mprotect(stack, 1 << 16, PROT_NONE) != 0)
    return nullptr;
  return stack;
}

/// Sets the stack size of threads of MLIR, LLVM and the C++ library, which take the default.
static void setStacksOfThreads() {
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) != 0)
    return;
  pthread_attr_setstacksize(&attributes, stackBytes);
  pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

int ampc::runOnLargeStack(int (*run)(int argc, char **argv), int argc, char **argv) {
  setStacksOfThreads();
  void *stack = mayChangeStack ? newStack() : nullptr;
  ucontext_t context;
  if (!stack || getcontext(&context) != 0)
    return run(argc, argv);
  // A context, not a thread: threads may be forbidden, signals go to the first thread, and its
  // allocations need no arena of their own.
  Program program{run, argc, argv};
  auto address = reinterpret_cast<uint64_t>(&program);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = stackBytes;
  context.uc_link = nullptr;
  makecontext(&context, reinterpret_cast<void (*)()>(runProgram), 2, unsigned(address >> 32),
              unsigned(address));
  setcontext(&context);
  std::abort(); // setcontext() returns from no context that getcontext() made
}

/// A thread that lives until `ending` is free.
static void *waitForEnd(void *ending) {
  std::lock_guard<std::mutex> wait(*static_cast<std::mutex *>(ending));
  return nullptr;
}

bool ampc::startsThreads(unsigned count) {
  std::mutex ending;
  std::vector<pthread_t> threads;
  bool starts = true;
  {
    std::lock_guard<std::mutex> hold(ending);
    for (pthread_t thread; starts && threads.size() < count;) {
      starts = pthread_create(&thread, nullptr, waitForEnd, &ending) == 0;
      if (starts)
        threads.push_back(thread);
    }
  }
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  return starts;
}
