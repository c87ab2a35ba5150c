// Thread pool of the compiler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/TaskPool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Threading.h"

using namespace ampc;
using llvm::ThreadPoolTaskGroup;

TaskPool::TaskPool() : processors(llvm::hardware_concurrency().compute_thread_count()) {}

TaskPool::~TaskPool() {
  wait();
  {
    Lock lock(mutex);
    isEnding = true;
  }
  queued.notify_all();
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
}

void *TaskPool::work(void *pool) {
  static_cast<TaskPool *>(pool)->work();
  return nullptr;
}

void TaskPool::work() {
  Lock lock(mutex);
  while (true) {
    if (runOne(lock, nullptr))
      continue;
    if (isEnding)
      return;
    ++idle;
    queued.wait(lock);
    --idle;
  }
}

/// Starts a thread. A failure is final: the system's limits rarely change.
void TaskPool::startThread() {
  pthread_t thread;
  canStart = pthread_create(&thread, nullptr, work, this) == 0;
  if (canStart)
    threads.push_back(thread);
}

void TaskPool::asyncEnqueue(llvm::unique_function<void()> run, ThreadPoolTaskGroup *group) {
  {
    Lock lock(mutex);
    tasks.push_back({std::move(run), group});
    ++unfinished[nullptr];
    if (group)
      ++unfinished[group];
    if (canStart && tasks.size() > idle && threads.size() + 1 < processors)
      startThread();
  }
  queued.notify_one();
  progress.notify_all();
}

/// Runs the oldest queued task of the group, null: of any group. False: none is queued.
bool TaskPool::runOne(Lock &lock, ThreadPoolTaskGroup *group) {
  auto found =
      llvm::find_if(tasks, [&](const Task &task) { return !group || task.group == group; });
  if (found == tasks.end())
    return false;
  Task task = std::move(*found);
  tasks.erase(found);
  lock.unlock();
  task.run();
  task.run = nullptr; // destroys captures before waiters continue
  lock.lock();
  bool isDone = --unfinished[nullptr] == 0;
  if (task.group && --unfinished[task.group] == 0)
    isDone = unfinished.erase(task.group);
  if (isDone)
    progress.notify_all();
  return true;
}

void TaskPool::runUntilDone(ThreadPoolTaskGroup *group) {
  Lock lock(mutex);
  while (unfinished.lookup(group))
    if (!runOne(lock, group))
      progress.wait(lock);
}
