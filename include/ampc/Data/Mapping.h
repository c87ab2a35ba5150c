// Files in memory, for readers of arrays and models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_MAPPING_H
#define AMPC_DATA_MAPPING_H

#include "ampc/Data/Array.h"

namespace ampc {
/// A file in memory, until the last owner goes.
struct Mapping {
  const char *data = nullptr;
  int64_t bytes = 0;
  std::shared_ptr<void> owner;
};
std::optional<Mapping> mapFile(const std::string &path, std::string &error);
/// Of an open file, which may be closed afterwards; the message has no path.
std::optional<Mapping> mapFile(int file, std::string &error);
/// From here on reads of a mapped file behind an end that has moved give zeros, and the file is
/// noted; without this they end the process (SIGBUS).
void catchShortenedFiles();
/// A message about the first such file, or "". Values computed since the previous call may stem
/// from those zeros.
std::string shortenedFile();
/// The product, if it is a sensible size.
std::optional<int64_t> countElements(const std::vector<int64_t> &dims);
} // namespace ampc
#endif
