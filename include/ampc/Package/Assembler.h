// NVIDIA's assembler and the cache of assembled code; shared with commands that report on both.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_ASSEMBLER_H
#define AMPC_PACKAGE_ASSEMBLER_H

#include <optional>
#include <string>

namespace ampc {
/// Path of `ptxas`, searched in CUDA_HOME, PATH, /usr/local/cuda and Python packages; nothing if
/// missing.
std::optional<std::string> findAssembler();

/// Folder of the cache of machine code: AMPC_CACHE, or `ampc` in the user's cache folder; empty if
/// the process has neither.
std::string cacheFolder();
} // namespace ampc
#endif
