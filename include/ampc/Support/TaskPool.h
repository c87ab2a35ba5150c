// Threads of the compiler.
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
/// A pool in which threads that wait for tasks run tasks, too. A thread that the system does not
/// start (limits of processes and memory) makes compilation slower, down to one thread, where
/// LLVM's pool ends the process.
class TaskPool : public llvm::ThreadPoolInterface {
public:
  TaskPool();
  ~TaskPool() override;

  void wait() override { runUntilDone(nullptr); }
  void wait(llvm::ThreadPoolTaskGroup &group) override { runUntilDone(&group); }
  /// Processors that this process may use; the waiting thread is one of as many.
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
  std::condition_variable queued, progress; ///< for threads of the pool; for threads that wait
  std::deque<Task> tasks;
  /// Tasks, queued or running; null: of all groups and none.
  llvm::DenseMap<llvm::ThreadPoolTaskGroup *, unsigned> unfinished;
  llvm::SmallVector<pthread_t> threads;
  unsigned idle = 0;
  bool canStart = true, isEnding = false;
};
} // namespace ampc
#endif
