// Linking of libNAME.so, for languages that load libraries at run time (Python).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_PACKAGE_SHAREDLIBRARY_H
#define LIB_PACKAGE_SHAREDLIBRARY_H

#include "llvm/Support/Error.h"
#include <string>

namespace ampc {
/// Links all members of an archive with a C compiler: CC, else cc, clang-22, clang or gcc.
llvm::Error linkSharedLibrary(const std::string &archive, const std::string &shared);
} // namespace ampc
#endif
