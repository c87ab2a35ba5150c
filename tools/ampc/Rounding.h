// Rounding of tensors on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_ROUNDING_H
#define TOOLS_AMPC_ROUNDING_H

#include "ampc/Precision/Profile.h"
#include "ampc/Runtime/Common.h"
#include "tools/ampc/RandomInputs.h"

namespace ampc {
/// Rounds the elements of an f32 or f64 tensor to `type`; the tensor keeps the element type.
/// Example: bf16, 1.001 -> 1.0.
void roundReals(const ampc_tensor &tensor, void *data, const FloatFormat &type);
/// Moves each element, at random and independently, by up to a unit in the last place of `type`.
void perturbReals(const ampc_tensor &tensor, void *data, const FloatFormat &type, Random &random);
} // namespace ampc
#endif
