// Memory-mapped files, for readers of arrays and models.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_MAPPING_H
#define AMPC_DATA_MAPPING_H

#include "ampc/Data/Array.h"

namespace ampc {
/// A mapped file; unmapped when the last owner is destroyed.
struct Mapping {
  const char *data = nullptr;
  int64_t bytes = 0;
  std::shared_ptr<void> owner;
};
std::optional<Mapping> mapFile(const std::string &path, std::string &error);
/// Maps an open file, which may be closed afterwards; the message has no path.
std::optional<Mapping> mapFile(int file, std::string &error);
/// Installs a SIGBUS handler: reads behind the end of a mapped file that was truncated give zeros
/// and note the file. Without the handler such a read ends the process.
void catchShortenedFiles();
/// Message about the first truncated file, or "". Values computed since the previous call may stem
/// from the zeros.
std::string shortenedFile();
/// Number of elements of a shape, for example [2, 3] -> 6; nothing if a dimension is negative or
/// the product exceeds 2^56.
std::optional<int64_t> countElements(const std::vector<int64_t> &dims);
} // namespace ampc
#endif
