// Paths with symbolic links resolved.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ampc/Data/Paths.h"
#include <cstdlib>

std::string ampc::realPath(const std::string &path) {
  char *real = ::realpath(path.empty() ? "." : path.c_str(), nullptr);
  std::string result = real ? real : "";
  std::free(real);
  return result;
}

bool ampc::isInside(const std::string &path, std::string folder) {
  if (!folder.empty() && folder.back() != '/')
    folder += '/';
  return !folder.empty() && path.compare(0, folder.size(), folder) == 0;
}
