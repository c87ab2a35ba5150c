// Output files that appear complete or not at all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_WRITEFILE_H
#define AMPC_PACKAGE_WRITEFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace ampc {
/// Replaces a file atomically, because an interrupted build or a full disk must not leave a
/// truncated file that looks new. The error states the cause.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef content);

/// Error if writing an output would overwrite an input, under any path or link. Empty paths are
/// ignored.
llvm::Error checkOutputs(llvm::ArrayRef<std::string> outputs, llvm::ArrayRef<std::string> inputs);
} // namespace ampc
#endif
