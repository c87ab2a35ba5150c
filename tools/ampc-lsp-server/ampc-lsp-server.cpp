// The program ampc-lsp-server.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Support/Thread.h"
#include "tools/Drivers.h"

int main(int argc, char **argv) {
  return ampc::runOnLargeStack(ampc::runLanguageServer, argc, argv);
}
