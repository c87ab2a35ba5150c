// Paths that a model names: which files they are, whatever links lead there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_PATHS_H
#define AMPC_DATA_PATHS_H

#include <string>

namespace ampc {
/// The absolute path without links and dots, of the working folder for ""; empty if there is no
/// such file.
std::string realPath(const std::string &path);
/// Whether a path lies below a folder, at any depth; both as `realPath` gives them.
bool isInside(const std::string &path, std::string folder);
} // namespace ampc
#endif
