// Task sharing between threads: placement, modes, and first-touch of memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Runtime/FakeModel.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace fake;

namespace {
ampc_options optionsOf(int threads, int32_t shares) {
  ampc_options options = {};
  options.size = sizeof options;
  options.threads = threads;
  options.seed = 1;
  options.shares = shares;
  return options;
}
struct State {
  ampc_state *state = nullptr;
  explicit State(const ampc_options &options, const ampc_model &of = model) {
    EXPECT_EQ(ampc_rt_create(&of, &options, &state), AMPC_OK);
  }
  ~State() { ampc_rt_destroy(state); }
  std::string bytes() { // everything that a checkpoint holds
    return {static_cast<char *>(ampc_rt_tensor_data(state, W)), 8208};
  }
  void step() {
    TrainIn in;
    float x[kRows] = {1, 2, 3, 4, 5, 6, 7, 8};
    int32_t labels[kRows] = {};
    in.x = x;
    in.label = labels;
    ASSERT_EQ(ampc_rt_run(state, Train, &in, nullptr), AMPC_OK);
  }
};

/// The model with `run` as the kernel of gradients.
struct Replaced {
  std::vector<ampc_kernel> all{kernels, kernels + KernelCount};
  std::vector<ampc_code> code;
  ampc_model model = makeModel();
  explicit Replaced(ampc_kernel_fn run) : code(4, {run, nullptr, kTasks, 0, 160}) {
    all[Grad].code = code.data();
    model.kernels = all.data();
  }
};

/// Records of the replaced kernel.
std::mutex mutex;
std::map<int64_t, int> runs;                  // of each task
std::map<void *, int64_t> tasksOf;            // by scratch
std::map<void *, std::set<int>> processorsOf; // by scratch, of the threads using a scratch
void note(int64_t begin, int64_t end, void *scratch) {
  cpu_set_t set;
  pthread_getaffinity_np(pthread_self(), sizeof set, &set);
  std::lock_guard<std::mutex> lock(mutex);
  for (int64_t task = begin; task < end; ++task)
    ++runs[task];
  tasksOf[scratch] += end - begin;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set))
      processorsOf[scratch].insert(cpu);
}
void clearNotes() {
  runs.clear();
  tasksOf.clear();
  processorsOf.clear();
}
void expectEachTaskOnce() {
  EXPECT_EQ(runs.size(), size_t(kTasks));
  for (auto [task, count] : runs)
    EXPECT_EQ(count, 1) << task;
}
} // namespace

TEST(Shares, FixedAndDynamicHaveTheSameBits) {
  std::string want;
  for (int threads : {1, 2, 3, 8, 40}) // more than tasks, too
    for (int32_t shares : {AMPC_SHARES_FIXED, AMPC_SHARES_DYNAMIC}) {
      State state(optionsOf(threads, shares));
      for (int i = 0; i < 100; ++i)
        state.step();
      if (want.empty())
        want = state.bytes();
      EXPECT_EQ(state.bytes(), want) << threads << " threads, shares " << shares;
    }
}

TEST(Shares, EveryTaskRunsOnceWithScratchOfItsOwn) {
  for (int32_t shares : {AMPC_SHARES_FIXED, AMPC_SHARES_DYNAMIC}) {
    Replaced other([](void *const *operands, int64_t begin, int64_t end, void *scratch) {
      note(begin, end, scratch);
      gradKernel(operands, begin, end, scratch);
    });
    ampc_options options = optionsOf(4, shares);
    // Runs the third share first, which then steals from all others.
    options.parallel_for = [](void *, int32_t count, void (*body)(void *, int32_t),
                              void *argument) {
      for (int32_t i = 0; i < count; ++i)
        body(argument, (i + 2) % count);
    };
    State state(options, other.model);
    clearNotes();
    state.step();
    expectEachTaskOnce();
    if (shares == AMPC_SHARES_DYNAMIC)
      EXPECT_EQ(tasksOf.begin()->second, kTasks);
    EXPECT_EQ(tasksOf.size(), shares == AMPC_SHARES_DYNAMIC ? 1u : 4u);
  }
}

/// The thread of the first task waits until all other tasks are done, so the other thread must do
/// most of the first thread's share.
TEST(Shares, OthersDoWhatALateThreadHasLeft) {
  static std::atomic<int64_t> done;
  static std::atomic<bool> waited;
  Replaced other([](void *const *operands, int64_t begin, int64_t end, void *scratch) {
    note(begin, end, scratch);
    gradKernel(operands, begin, end, scratch);
    using Clock = std::chrono::steady_clock;
    auto last = Clock::now() + std::chrono::seconds(20);
    while (begin == 0 && done < kTasks - end && Clock::now() < last)
      sched_yield();
    waited = waited || (begin == 0 && done >= kTasks - end);
    done += end - begin;
  });
  State state(optionsOf(2, AMPC_SHARES_DYNAMIC), other.model);
  clearNotes();
  done = 0;
  waited = false;
  state.step();
  expectEachTaskOnce();
  EXPECT_TRUE(waited);
  ASSERT_EQ(tasksOf.size(), 2u);
  EXPECT_EQ(std::min(tasksOf.begin()->second, tasksOf.rbegin()->second), (kTasks / 2 + 1) / 2);
}

TEST(Shares, PinnedThreadsKeepToOneProcessorEach) {
  cpu_set_t mine, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof mine, &mine), 0);
  int count = CPU_COUNT(&mine);
  std::vector<int> processors;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mine))
      processors.push_back(cpu);
  Replaced other([](void *const *operands, int64_t begin, int64_t end, void *scratch) {
    note(begin, end, scratch);
    gradKernel(operands, begin, end, scratch);
  });
  int threads = std::min({count, 3});
  for (bool pins : {false, true}) {
    ampc_options options = optionsOf(threads, AMPC_SHARES_FIXED);
    options.pin_threads = pins;
    State state(options, other.model);
    clearNotes();
    state.step();
    ASSERT_EQ(processorsOf.size(), size_t(threads)); // in the order of shares
    int share = 0;
    for (const auto &[scratch, seen] : processorsOf) {
      std::set<int> all(processors.begin(), processors.end());
      EXPECT_EQ(seen, pins && share ? std::set<int>{processors[share]} : all) << share;
      ++share;
    }
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&mine, &after));
  }
  char message[200] = "";
  ampc_options options = optionsOf(count + 1, AMPC_SHARES_FIXED);
  options.pin_threads = 1;
  options.error = message;
  options.error_bytes = sizeof message;
  ampc_state *state = nullptr;
  EXPECT_EQ(ampc_rt_create(&model, &options, &state), AMPC_E_ARG);
  EXPECT_EQ(message, "options: expected at most " + std::to_string(count) +
                         " threads to pin, as many as the caller may use processors, but got " +
                         std::to_string(count + 1));
}

/// Kernels round to the nearest, whatever their thread does elsewhere.
TEST(Denormals, AreFlushedInKernelsAloneAndIfAskedFor) {
  constexpr unsigned masks = 0x1f80, flushes = 0x8040, down = 0x2000, flags = 0x3f;
  static std::set<unsigned> seen;
  Replaced other([](void *const *operands, int64_t begin, int64_t end, void *scratch) {
    std::lock_guard<std::mutex> lock(mutex);
    seen.insert(__builtin_ia32_stmxcsr() & ~flags);
    gradKernel(operands, begin, end, scratch);
  });
  unsigned before = __builtin_ia32_stmxcsr();
  for (int32_t denormals : {AMPC_DENORMALS_KEEP, AMPC_DENORMALS_FLUSH})
    for (int threads : {1, 2})
      for (unsigned mine : {masks | down, masks | flushes}) {
        ampc_options options = optionsOf(threads, AMPC_SHARES_FIXED);
        options.denormals = denormals;
        State state(options, other.model);
        seen.clear();
        __builtin_ia32_ldmxcsr(mine);
        state.step();
        unsigned after = __builtin_ia32_stmxcsr();
        __builtin_ia32_ldmxcsr(before);
        EXPECT_EQ(after & ~flags, mine);
        unsigned want = denormals == AMPC_DENORMALS_FLUSH ? masks | flushes : masks;
        EXPECT_EQ(seen, std::set<unsigned>{want}) << threads << " threads";
      }
}

TEST(Shares, BadOptionsAreRefused) {
  char message[200] = "";
  ampc_options options = optionsOf(1, 2);
  options.error = message;
  options.error_bytes = sizeof message;
  ampc_state *state = nullptr;
  EXPECT_EQ(ampc_rt_create(&model, &options, &state), AMPC_E_ARG);
  EXPECT_STREQ(message, "options: expected shares to be AMPC_SHARES_FIXED or AMPC_SHARES_DYNAMIC, "
                        "but got 2");
  options.shares = AMPC_SHARES_FIXED;
  options.denormals = 2;
  EXPECT_EQ(ampc_rt_create(&model, &options, &state), AMPC_E_ARG);
  EXPECT_STREQ(message, "options: expected denormals to be AMPC_DENORMALS_KEEP or "
                        "AMPC_DENORMALS_FLUSH, but got 2");
  options.denormals = AMPC_DENORMALS_KEEP;
  options.pin_threads = 1;
  options.parallel_for = [](void *, int32_t count, void (*body)(void *, int32_t), void *argument) {
    for (int32_t i = 0; i < count; ++i)
      body(argument, i);
  };
  EXPECT_EQ(ampc_rt_create(&model, &options, &state), AMPC_E_ARG);
  EXPECT_STREQ(message, "options: expected pin_threads without parallel_for, whose threads are not "
                        "the library's");
  // A struct of before has neither.
  options.size = offsetof(ampc_options, shares);
  options.shares = 2;
  ASSERT_EQ(ampc_rt_create(&model, &options, &state), AMPC_OK);
  ampc_rt_destroy(state);
}

/// Pages of the state and of work memory belong to the NUMA node of the thread that touches the
/// pages first.
TEST(Shares, ThreadsTouchMemoryInShares) {
  constexpr int threads = 4;
  constexpr size_t page = 4096;
  ampc_model large = makeModel();
  large.arena_bytes = 64 * page;
  ampc_options options = optionsOf(threads, AMPC_SHARES_FIXED);
  options.memory_bytes = (ampc_rt_state_bytes(&large, &options) + page - 1) / page * page;
  options.memory = mmap(nullptr, options.memory_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(options.memory, MAP_FAILED);
  ASSERT_EQ(madvise(options.memory, options.memory_bytes, MADV_NOHUGEPAGE), 0);
  static const ampc_options *given;
  static std::vector<size_t> added; // pages, by share of the first job
  given = &options;
  added.clear();
  options.parallel_for = [](void *, int32_t count, void (*body)(void *, int32_t), void *argument) {
    auto present = [] {
      std::vector<unsigned char> in(given->memory_bytes / page);
      EXPECT_EQ(mincore(given->memory, given->memory_bytes, in.data()), 0);
      return size_t(std::count_if(in.begin(), in.end(), [](unsigned char x) { return x & 1; }));
    };
    bool isFirst = added.empty();
    for (int32_t i = 0; i < count; ++i) {
      size_t before = present();
      body(argument, i);
      if (isFirst)
        added.push_back(present() - before);
    }
  };
  {
    State state(options, large);
    ASSERT_EQ(added.size(), size_t(threads));
    for (size_t pages : added) // a quarter of the arena; of state and scratch little is left
      EXPECT_NEAR(double(pages), 16, 4);
  }
  munmap(options.memory, options.memory_bytes);
}

/// Memory allocated by create is committed on first use: programs that never run take none.
TEST(Shares, OwnMemoryComesWithItsUse) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer keeps memory of its own for every page";
#endif
  auto resident = [] {
    std::ifstream file("/proc/self/statm");
    size_t all = 0, pages = 0;
    file >> all >> pages;
    return pages * size_t(sysconf(_SC_PAGESIZE));
  };
  constexpr size_t arena = size_t(256) << 20;
  ampc_model large = makeModel();
  large.arena_bytes = arena;
  size_t before = resident();
  State state(optionsOf(2, AMPC_SHARES_FIXED), large), same(optionsOf(2, AMPC_SHARES_FIXED));
  EXPECT_LT(resident(), before + arena / 4);
  EXPECT_EQ(state.bytes(), same.bytes());
  state.step();
  EXPECT_GT(resident(), before + arena / 4 * 3); // although no kernel has used the arena
  same.step();
  EXPECT_EQ(state.bytes(), same.bytes());
}
