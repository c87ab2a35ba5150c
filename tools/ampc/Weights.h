// Parameters and buffers from files of other programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_WEIGHTS_H
#define TOOLS_AMPC_WEIGHTS_H

#include "tools/ampc/Session.h"

namespace ampc {
/// Gives parameters and buffers the values that a safetensors file has under their names; types are
/// converted, shapes have to agree. What the file lacks keeps its initial value, and what the model
/// lacks is left out: `notes` says so. False with a message.
bool loadWeights(Session &session, const std::string &path, std::vector<std::string> &notes,
                 std::string &error);
} // namespace ampc
#endif
