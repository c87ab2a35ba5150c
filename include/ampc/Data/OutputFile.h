// Output files that appear complete or not at all.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef AMPC_DATA_OUTPUTFILE_H
#define AMPC_DATA_OUTPUTFILE_H

#include <cstddef>
#include <memory>
#include <string>

namespace ampc {
/// Atomic output file: readers see the old content until `close`, then the new content. The data
/// lies in an unnamed file until then, so two processes may write one path and a process that dies
/// leaves nothing behind. Devices and pipes are written directly. Methods return 0 or errno.
class OutputFile {
public:
  OutputFile();
  OutputFile(OutputFile &&);
  OutputFile &operator=(OutputFile &&);
  /// Drops the content if the file was not closed.
  ~OutputFile();
  /// Opens `path`; `-` is standard output. `durable`: `close` syncs the content to disk.
  int open(const std::string &path, bool durable = false);
  int write(const void *data, size_t bytes);
  int close();

private:
  struct State;
  std::unique_ptr<State> state;
};
} // namespace ampc
#endif
