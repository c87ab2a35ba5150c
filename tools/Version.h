// Version of all programs, as set in CMake.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_VERSION_H
#define TOOLS_VERSION_H

namespace ampc {
/// Version such as "0.1.0".
extern const char version[];
/// Sets the output of --version, "ampc 0.1.0 (LLVM 22.1.8)", in place of LLVM's text.
void setVersionPrinter();
} // namespace ampc
#endif
