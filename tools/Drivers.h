// MLIR's drivers with the dialects and passes of ampc. A source build has a program per driver
// (ampc-opt); ampc has a command per driver (ampc opt), and packages have the commands only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_DRIVERS_H
#define TOOLS_DRIVERS_H

namespace ampc {
/// mlir-opt: runs passes separately. Parameters as of `main`; returns the exit status.
int runOpt(int argc, char **argv);
/// mlir-reduce: finds the smallest model that a test still accepts as interesting.
int runReduce(int argc, char **argv);
/// mlir-lsp-server: diagnostics, definitions and completion for editors, on standard input and
/// output.
int runLanguageServer(int argc, char **argv);
} // namespace ampc
#endif
