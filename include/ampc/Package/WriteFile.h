// Output files that are there whole or not at all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_WRITEFILE_H
#define AMPC_PACKAGE_WRITEFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// Replaces a file at once: a build that is interrupted, or a disk that is full, must not leave
/// half a file that looks new. The error says why it could not be written.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef content);

/// An error if writing one of the outputs would lose an input, under whatever name. Empty paths are
/// no files.
llvm::Error checkOutputs(llvm::ArrayRef<std::string> outputs, llvm::ArrayRef<std::string> inputs);
} // namespace ampc
#endif
