// Conversion of the compiler's enums to the values in the runtime's tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_MIRRORS_H
#define LIB_PACKAGE_MIRRORS_H

#include "mlir-dialects/Train/Train.h"

namespace ampc {
/// An ampc_dtype; nothing for a type that the C interface does not have.
std::optional<int32_t> dtypeOf(mlir::Type element);
/// "f32", ...
const char *dtypeName(int32_t dtype);
/// "float", ...; 16-bit floats are bit patterns.
const char *cTypeOf(int32_t dtype);
/// "float32", ...; bf16 is "uint16", since NumPy has no such type.
const char *numpyTypeOf(int32_t dtype);
/// "real(c_float)", ...; unsigned integers and 16-bit floats are the integers of their size.
const char *fortranTypeOf(int32_t dtype);

/// An ampc_role.
int32_t roleOf(StateOpInterface state);
const char *roleName(int32_t role);

/// AMPC_PROGRAM_... of a role; nothing for programs that a library leaves out.
std::optional<int32_t> programKindOf(train::Role role);
/// In ampc_control.
int64_t offsetOf(train::Control control);
} // namespace ampc
#endif
