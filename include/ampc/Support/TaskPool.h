// Thread pool of the compiler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_TASKPOOL_H
#define AMPC_SUPPORT_TASKPOOL_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ThreadPool.h"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <pthread.h>

namespace ampc {
/// Thread pool whose waiting threads run tasks, too. If the system refuses to start a thread
/// (limits of processes and memory), compilation continues with fewer threads, down to a single
/// thread; LLVM's pool would end the process.
class TaskPool : public llvm::ThreadPoolInterface {
public:
  TaskPool();
  ~TaskPool() override;

  void wait() override { runUntilDone(nullptr); }
  void wait(llvm::ThreadPoolTaskGroup &group) override { runUntilDone(&group); }
  /// Number of processors that this process may use; the waiting thread counts as one worker.
  unsigned getMaxConcurrency() const override { return processors; }

private:
  struct Task {
    llvm::unique_function<void()> run;
    llvm::ThreadPoolTaskGroup *group;
  };
  using Lock = std::unique_lock<std::mutex>;

  void asyncEnqueue(llvm::unique_function<void()> run, llvm::ThreadPoolTaskGroup *group) override;
  void startThread();
  static void *work(void *pool);
  void work();
  void runUntilDone(llvm::ThreadPoolTaskGroup *group);
  bool runOne(Lock &lock, llvm::ThreadPoolTaskGroup *group);

  const unsigned processors;
  std::mutex mutex;
  std::condition_variable queued, progress; ///< for idle workers; for waiting threads
  std::deque<Task> tasks;
  /// Number of queued and running tasks per group; null: all tasks, with or without a group.
  llvm::DenseMap<llvm::ThreadPoolTaskGroup *, unsigned> unfinished;
  llvm::SmallVector<pthread_t> threads;
  unsigned idle = 0;
  bool canStart = true, isEnding = false;
};
} // namespace ampc
#endif
