// Parameters and buffers from files of other programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_WEIGHTS_H
#define TOOLS_AMPC_WEIGHTS_H

#include "tools/ampc/Session.h"

namespace ampc {
/// Gives parameters and buffers the values of equal name in a safetensors file; types are
/// converted, shapes have to agree. Tensors missing in the file keep the initial value, tensors
/// missing in the model are left out, and `notes` lists both. False with a message.
bool loadWeights(Session &session, const std::string &path, std::vector<std::string> &notes,
                 std::string &error);
/// Names of parameters that no step trains and whose first values are random, "a, b and 3 more"; or
/// empty.
std::string randomFrozen(const Session &session);
} // namespace ampc
#endif
