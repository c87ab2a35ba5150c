// Commands of `ampc`. Each takes the arguments after the name of the command and returns an exit
// status.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_COMMANDS_H
#define TOOLS_AMPC_COMMANDS_H

#include "ampc/Pipelines/Compiler.h"
#include "ampc/Support/Terminal.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace ampc {
extern llvm::cl::SubCommand compileCommand, trainCommand, checkCommand, benchCommand, reportCommand,
    profileCommand, predictCommand, evalCommand, importCommand, exportCommand;

/// The words that the program was called with.
extern std::vector<std::string> commandLine;

/// Whether only errors and results are wanted.
bool isQuiet();
/// As --quiet.
void setQuiet();
/// Prints information that is no result, unless isQuiet().
void note(const llvm::Twine &message);

/// Reports a mistake; returns the exit status.
inline int fail(const llvm::Twine &message) {
  messages() << "ampc: error: " << message << "\n";
  return 1;
}

int runCompile();
int runTrain();
int runCheck();
int runBench();
int runReport();
int runProfile();
int runPredict();
int runEval();
int runImport();
int runExport();
} // namespace ampc
#endif
