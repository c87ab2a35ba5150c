// The one version of all programs, that of CMake's project.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TOOLS_VERSION_H
#define TOOLS_VERSION_H

namespace ampc {
/// "0.1.0"
extern const char version[];
/// Has --version print "ampc 0.1.0 (LLVM 22.1.8)" in place of LLVM's text.
void setVersionPrinter();
} // namespace ampc
#endif
