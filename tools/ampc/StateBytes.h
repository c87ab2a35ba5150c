// Bytes of a state by purpose, which add up to NAME_state_bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_STATEBYTES_H
#define TOOLS_AMPC_STATEBYTES_H

#include "ampc/Package/Package.h"

namespace ampc {
/// Prints the bytes of a state with the default options: tensors, arena, scratch of all threads,
/// and the rest, which holds operands of calls and headers of checkpoints.
llvm::Error printStateBytes(const PackagedModel &package);
} // namespace ampc
#endif
