// Resolution of paths that a model names: the real file behind symbolic links.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_PATHS_H
#define AMPC_DATA_PATHS_H

#include <string>

namespace ampc {
/// Absolute path without symbolic links and dots; the working folder for ""; empty if no such file
/// exists.
std::string realPath(const std::string &path);
/// Whether `path` lies below `folder`, at any depth; both as `realPath` returns them.
bool isInside(const std::string &path, std::string folder);
} // namespace ampc
#endif
