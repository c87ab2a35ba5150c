// MLIR's drivers with the dialects and passes of ampc. Each is a program of its own in a source
// build (ampc-opt), and a command of ampc (ampc opt), which packages have alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_DRIVERS_H
#define TOOLS_DRIVERS_H

namespace ampc {
/// Every pass by itself: mlir-opt. The words as of a `main`; returns the exit status.
int runOpt(int argc, char **argv);
/// The smallest model that a test still finds interesting: mlir-reduce.
int runReduce(int argc, char **argv);
/// Diagnostics, definitions and completion for editors, on standard input and output:
/// mlir-lsp-server.
int runLanguageServer(int argc, char **argv);
} // namespace ampc
#endif
