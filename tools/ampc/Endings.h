// How a process of ampc ends when it does not reach its end by itself: signals that ask for it,
// and crashes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_ENDINGS_H
#define TOOLS_AMPC_ENDINGS_H

#include <string>

namespace ampc {
/// Notes whether the caller of the process ignores SIGHUP, as `nohup` does, or SIGPIPE. Before LLVM
/// installs its handlers. SIGINT and SIGQUIT, which shells have jobs in the background ignore, are
/// heard all the same.
void noteIgnoredSignals();

/// From here on a signal that would end the process (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE,
/// SIGALRM, SIGXCPU, SIGUSR2) only is noted, and the work decides where to stop.
void catchStopSignals();
/// The first of those signals that came; 0: none.
int stopSignal();
/// "terminated": why the process stops, for the user.
std::string stopReason();

/// Has a crash leave a folder with the command line and the files that it names, and print the
/// folder and where to report it. Failures inside LLVM end with a message of ampc.
void explainCrashes(const char *version);

/// The exit status after the output streams are checked: results that could not be printed are an
/// error, progress that could not is none.
int finishStreams(int status);
} // namespace ampc
#endif
