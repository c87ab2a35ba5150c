// NVIDIA's assembler and the cache of its results, which commands also report on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_PACKAGE_ASSEMBLER_H
#define AMPC_PACKAGE_ASSEMBLER_H

#include <optional>
#include <string>

namespace ampc {
/// Path of `ptxas`: in CUDA_HOME, PATH, /usr/local/cuda or a Python package; or nothing.
std::optional<std::string> findAssembler();

/// Folder of the cache of machine code: AMPC_CACHE, or `ampc` in the user's cache folder; empty if
/// the process has neither.
std::string cacheFolder();
} // namespace ampc
#endif
