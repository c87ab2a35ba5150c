// Rounding of tensors on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_TOOLS_AMPC_ROUNDING_H
#define AMPC_TOOLS_AMPC_ROUNDING_H

#include "ampc/Runtime/Common.h"
#include "llvm/ADT/APFloat.h"

namespace ampc {
/// The type named by --precision: bf16, f16 or, for any other name, f32.
const llvm::fltSemantics &semanticsOf(llvm::StringRef precision);

/// To the nearest number of the type, ties to even.
double roundTo(double x, const llvm::fltSemantics &type);

/// Rounds a real tensor's elements, which keep their own type.
void roundReals(const ampc_tensor &tensor, void *data, const llvm::fltSemantics &type);
} // namespace ampc
#endif
