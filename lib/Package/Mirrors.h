// Conversion of the compiler's enums to the values in the runtime's tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_MIRRORS_H
#define LIB_PACKAGE_MIRRORS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// ampc_dtype of an element type; nullopt if the C interface lacks the type.
std::optional<int32_t> dtypeOf(mlir::Type element);
/// Name such as "f32".
const char *dtypeName(int32_t dtype);
/// C type such as "float"; 16-bit floats are bit patterns.
const char *cTypeOf(int32_t dtype);
/// NumPy type such as "float32"; bf16 is "uint16", since NumPy lacks bf16.
const char *numpyTypeOf(int32_t dtype);
/// Fortran type such as "real(c_float)"; unsigned integers and 16-bit floats are integers of the
/// same size.
const char *fortranTypeOf(int32_t dtype);

/// ampc_role of a state.
int32_t roleOf(StateOpInterface state);
const char *roleName(int32_t role);

/// AMPC_PROGRAM_... of a role; nullopt for programs that a library leaves out.
std::optional<int32_t> programKindOf(train::Role role);
/// Offset in ampc_control.
int64_t offsetOf(train::Control control);
} // namespace ampc
#endif
