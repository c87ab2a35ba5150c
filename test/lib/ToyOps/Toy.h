// A dialect outside of ampc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOY_H
#define TOY_H
#include "mlir-dialects/Train/Train.h"

#include "ToyDialect.h.inc"
#define GET_OP_CLASSES
#include "ToyOps.h.inc"
#endif
