// What a server of editors learns of a text that does not parse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLIR_DIALECTS_TRAIN_PARSEFAILURE_H
#define MLIR_DIALECTS_TRAIN_PARSEFAILURE_H

#include "mlir/IR/OpImplementation.h"

namespace ampc {
/// If set, called when an outermost op of the dialect could not be parsed, after its error and with
/// the parser behind its name. MLIR's parser stops there.
extern void (*onParseFailure)(mlir::OpAsmParser &parser);
} // namespace ampc
#endif
