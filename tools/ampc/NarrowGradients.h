// Gradients in 16 bits beside gradients in f64, for `ampc check --also`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_AMPC_NARROWGRADIENTS_H
#define TOOLS_AMPC_NARROWGRADIENTS_H

#include "tools/ampc/Session.h"

namespace ampc {
/// Dense gradient in the shape of the parameter, also if the state stores rows alone.
std::vector<double> readGradient(Session &session, llvm::StringRef step, llvm::StringRef param);

/// Compiles the model of `request` a second time, with every possible value in 16 bits, and
/// compares the gradients of all steps with the gradients of `exact`, which computes in f64. False
/// if a gradient is beyond the bound, or after a failure, which has been reported.
bool checkNarrowGradients(Session &exact, CompileRequest request, const ampc_options &options,
                          llvm::StringRef precision);
} // namespace ampc
#endif
