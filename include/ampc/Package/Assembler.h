// NVIDIA's assembler; shared with commands that report on the assembler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_ASSEMBLER_H
#define AMPC_PACKAGE_ASSEMBLER_H

#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace ampc {
/// Path of `ptxas`, searched in CUDA_HOME, PATH, /usr/local/cuda and Python packages; nothing if
/// missing.
std::optional<std::string> findAssembler();

/// Number that changes with a program file: size and time of the last change; 0 without the file.
uint64_t stampOf(llvm::StringRef program);
} // namespace ampc
#endif
