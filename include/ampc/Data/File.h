// RAII owner of a stdio file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_FILE_H
#define AMPC_DATA_FILE_H

#include <cstdio>
#include <memory>

namespace ampc {
struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;
} // namespace ampc
#endif
