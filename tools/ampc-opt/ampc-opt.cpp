// The program ampc-opt.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/Drivers.h"

int main(int argc, char **argv) { return ampc::runOpt(argc, argv); }
