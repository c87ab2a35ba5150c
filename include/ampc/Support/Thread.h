// Threads of ampc's programs: the size of their stacks, and whether the system starts more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_SUPPORT_THREAD_H
#define AMPC_SUPPORT_THREAD_H

namespace ampc {
/// The `main` of a program: calls `run` on a stack of 16 MiB, the size of all stacks of threads
/// that start later, and ends the process with the status of `run`. Neither size depends on
/// `ulimit -s`, which a model of many nested regions would meet. Pages that no call reaches take
/// no memory. Only where the system lends no 16 MiB (`ulimit -v`), `run` has the caller's stack.
///   int main(int argc, char **argv) { return ampc::runOnLargeStack(run, argc, argv); }
int runOnLargeStack(int (*run)(int argc, char **argv), int argc, char **argv);

/// Whether the system starts `count` threads beside each other, found by an attempt. For thread
/// pools of LLVM, which end the process at the first thread that does not start; TaskPool goes on.
bool startsThreads(unsigned count);
} // namespace ampc
#endif
