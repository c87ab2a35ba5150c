// Endings of a process of ampc other than the last line of main: signals that ask for an end, and
// crashes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_ENDINGS_H
#define TOOLS_AMPC_ENDINGS_H

#include <string>

namespace ampc {
/// Records handlers that stay: SIGHUP ignored by the parent process, as `nohup` does, SIGPIPE
/// ignored, and every handler of a preloaded library, such as a profiler's SIGPROF. Call before
/// LLVM installs handlers. SIGINT and SIGQUIT, which shells ignore for background jobs, are handled
/// all the same.
void noteSignalHandlers();

/// From here on a signal that would end the process (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE,
/// timers, SIGXCPU, SIGIO, SIGPWR, SIGSTKFLT, SIGUSR2) only is noted, and the work decides where to
/// stop.
void catchStopSignals();
/// First signal that arrived; 0: none.
int stopSignal();
/// "terminated": why a process stops at a signal, for the user.
std::string stopReason(int signal);

/// Ends the process with the names of the command's files where memory runs out. Before LLVM
/// starts, whose start may be the first to lack memory.
void explainMemory();
/// Installs the crash handler: a crash writes a folder with the command line and the files named
/// there, and prints the folder and the address for reports. Fatal errors of LLVM end with a
/// message of ampc.
void explainCrashes(const char *version);

/// The exit status after the output streams are checked: results that could not be printed are an
/// error, progress that could not is none.
int finishStreams(int status);
} // namespace ampc
#endif
