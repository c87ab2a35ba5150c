// --version of every program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/Version.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

const char ampc::version[] = AMPC_VERSION;

void ampc::setVersionPrinter() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "ampc " << version << " (LLVM " LLVM_VERSION_STRING ")\n";
  });
}
